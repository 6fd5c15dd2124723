/// @file
/// The JSON reader held against RapidJSON: the same documents are refused, and the others mean the same. Numbers, which
/// RapidJSON checks and gives as text, are held against strtod.
///
/// Deliberate differences, which `is_deliberate` excuses:
/// - values nested more than 64 deep are refused here;
/// - a low surrogate without a high one (`\ude00`) is refused here;
/// - a zero with an exponent above 308 is zero here, and too big a number there;
/// - a NUL byte is an error here, and the end of the document there.
/// A number beyond the largest double is refused when it is read, not when it is skipped.
#include "loupe/wire/json_reader.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace wire = loupe::wire;
using loupe::result;
using wire::JsonReader;
using wire::JsonType;

namespace {

/// A document's values as a line of text in which doubles stand by their bits.
class Trace {
 public:
  void word(std::string_view word) { text_.append(word).append(" "); }
  void string(std::string_view text) {
    text_.append("\"").append(std::to_string(text.size())).append(":").append(text).append("\" ");
  }
  void number(double number) { word(std::to_string(std::bit_cast<std::uint64_t>(number))); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

result<void> follow(JsonReader& json, Trace& trace) {
  std::string scratch;
  LOUPE_ASSIGN(const JsonType type, json.peek());
  switch (type) {
    case JsonType::object:
      trace.word("{");
      LOUPE_TRY(json.begin_object());
      while (true) {
        LOUPE_ASSIGN(const auto key, json.next_key(scratch));
        if (!key) break;
        trace.string(*key);
        LOUPE_TRY(follow(json, trace));
      }
      trace.word("}");
      return {};
    case JsonType::array:
      trace.word("[");
      LOUPE_TRY(json.begin_array());
      while (true) {
        LOUPE_ASSIGN(const bool has_more, json.next_element());
        if (!has_more) break;
        LOUPE_TRY(follow(json, trace));
      }
      trace.word("]");
      return {};
    case JsonType::string: {
      LOUPE_ASSIGN(const auto text, json.read_string(scratch));
      trace.string(text);
      return {};
    }
    case JsonType::number: {
      LOUPE_ASSIGN(const double number, json.read_double());
      trace.number(number);
      return {};
    }
    case JsonType::boolean: {
      LOUPE_ASSIGN(const bool value, json.read_bool());
      trace.word(value ? "true" : "false");
      return {};
    }
    case JsonType::null: trace.word("null"); return json.read_null();
  }
  return {};
}

/// What became of a document: its trace, or why it was refused.
struct Outcome {
  std::optional<std::string> trace;
  std::string refusal;
  bool operator==(const Outcome& other) const { return trace == other.trace; }
};

Outcome by_loupe(std::string_view text) {
  JsonReader json(text, "doc.json");
  Trace trace;
  result<void> outcome = follow(json, trace);
  if (outcome) outcome = json.finish();
  if (!outcome) return {std::nullopt, std::string(outcome.error().detail.view())};
  return {trace.text(), {}};
}

struct Handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
  Trace trace;
  bool word(std::string_view word) {
    trace.word(word);
    return true;
  }
  bool Null() { return word("null"); }
  bool Bool(bool value) { return word(value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const double value = std::strtod(std::string(text, size).c_str(), nullptr);
    trace.number(value);
    return std::isfinite(value);
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    trace.string({text, size});
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) { return String(text, size, copy); }
  bool StartObject() { return word("{"); }
  bool EndObject(rapidjson::SizeType) { return word("}"); }
  bool StartArray() { return word("["); }
  bool EndArray(rapidjson::SizeType) { return word("]"); }
};

Outcome by_rapidjson(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  Handler handler;
  constexpr unsigned flags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult parsed = reader.Parse<flags>(stream, handler);
  if (!parsed) return {std::nullopt, parsed.Code() == rapidjson::kParseErrorNumberTooBig ? "too big" : "malformed"};
  return {handler.trace.text(), {}};
}

bool is_deliberate(std::string_view text, const Outcome& ours, const Outcome& theirs) {
  return ours.refusal == "values are nested more than 64 deep" || ours.refusal == "a low surrogate stands alone" ||
         (ours.trace && theirs.refusal == "too big") || text.find('\0') != std::string_view::npos;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string document() {
    std::string out;
    value(out, 0);
    return out;
  }

  /// A few bytes changed, removed, doubled or put in.
  std::string mutated(std::string text) {
    constexpr std::string_view pieces[] = {
        "\"", "\\",   "\\u",  "\\ud83d",  "\\ude00",      ",",        ":",  "[",  "]",    "{", "}",    "-", "0", "1e",
        ".",  "\x80", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90", "\t", "\n", "\x01", "/", "null", "e+"};
    for (std::size_t change = 1 + below(3); change-- > 0;) {
      const std::size_t place = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          if (place < text.size()) text[place] = static_cast<char>(below(256));
          break;
        case 1: text.erase(place, 1 + below(3)); break;
        case 2: text.insert(place, text.substr(below(text.size() + 1), 1 + below(8))); break;
        default: text.insert(place, pieces[below(std::size(pieces))]);
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  void blank(std::string& out) {
    constexpr std::string_view blanks[] = {"", "", "", " ", " ", "\t", "\r\n", "   "};
    out += blanks[below(std::size(blanks))];
  }

  void value(std::string& out, int depth) {
    blank(out);
    const std::size_t kind = below(depth < 6 ? 8 : 6);
    if (kind >= 6) {
      const bool is_object = kind == 6;
      out += is_object ? '{' : '[';
      for (std::size_t index = 0, count = below(5); index < count; ++index) {
        if (index > 0) out += ',';
        blank(out);
        if (is_object) {
          string(out);
          blank(out);
          out += ':';
        }
        value(out, depth + 1);
      }
      blank(out);
      out += is_object ? '}' : ']';
    } else if (kind >= 4) {
      string(out);
    } else if (kind >= 1) {
      number(out);
    } else {
      constexpr std::string_view words[] = {"true", "false", "null"};
      out += words[below(3)];
    }
    blank(out);
  }

  void string(std::string& out) {
    constexpr std::string_view pieces[] = {"a",
                                           "tensor name ",
                                           "\\n",
                                           "\\\"",
                                           "\\\\",
                                           "\\/",
                                           "\\u00e9",
                                           "\\ud83d\\ude00",
                                           "\u00e9",
                                           "\u20ac",
                                           "\U0001F600",
                                           "\x7f",
                                           "0123456789abcdef",
                                           "\\u0041",
                                           "\\b\\f\\r\\t"};
    out += '"';
    for (std::size_t index = below(5); index-- > 0;) out += pieces[below(std::size(pieces))];
    out += '"';
  }

  void number(std::string& out) {
    const auto digits = [&](std::size_t count) {
      while (count-- > 0) out += static_cast<char>('0' + below(10));
    };
    if (below(3) == 0) out += '-';
    if (below(4) == 0) {
      out += '0';
    } else {
      out += static_cast<char>('1' + below(9));
      digits(below(below(4) == 0 ? 25 : 5));
    }
    if (below(2) == 0) {
      out += '.';
      digits(1 + below(20));
    }
    if (below(3) == 0) {
      out += below(2) == 0 ? 'e' : 'E';
      constexpr std::string_view signs[] = {"", "+", "-"};
      out += signs[below(3)];
      digits(1 + below(3));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("random documents mean the same to RapidJSON") {
  Generator generator(1);
  std::vector<std::string> differing;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = generator.document();
    const Outcome ours = by_loupe(text);
    const Outcome theirs = by_rapidjson(text);
    if (ours != theirs && !is_deliberate(text, ours, theirs)) differing.push_back(text);
  }
  CHECK(differing == std::vector<std::string>());
}

TEST_CASE("random documents with errors are refused when RapidJSON refuses them, and only then") {
  Generator generator(2);
  std::vector<std::string> differing;
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 10000; ++round) {
    const std::string text = generator.mutated(generator.document());
    const Outcome ours = by_loupe(text);
    const Outcome theirs = by_rapidjson(text);
    if (ours != theirs && !is_deliberate(text, ours, theirs)) differing.push_back(text);
    ++(ours.trace ? accepted : refused);
  }
  CHECK(differing == std::vector<std::string>());
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("skipping checks all that reading checks, but for the size of numbers") {
  Generator generator(3);
  std::vector<std::string> differing;
  for (int round = 0; round < 5000; ++round) {
    const std::string text = generator.mutated(generator.document());
    JsonReader json(text, "doc.json");
    const bool is_skipped = json.skip_value() && json.finish();
    const Outcome read = by_loupe(text);
    if (read.trace.has_value() != is_skipped && read.refusal != "the number is larger than any double")
      differing.push_back(text);
  }
  CHECK(differing == std::vector<std::string>());
}
