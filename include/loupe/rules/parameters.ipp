#include "loupe/rules/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/wire/json_reader.hpp"
#include "loupe/wire/json_writer.hpp"

namespace loupe::inline LOUPE_ABI::rules {

namespace detail {

inline std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

inline Text number_text(double number) {
  ByteBuffer digits;
  wire::append_json_number(digits, number);
  return std::as_const(digits).text();
}

/// The shortest text that reads back as the number, whole numbers without a point.
inline Text plain_number(double number) {
  if (number == std::trunc(number) && std::abs(number) < 1e15) return to_text(static_cast<long long>(number));
  return number_text(number);
}

/// `at least 0`, `above 0`, `0 to 100`.
inline Text range_text(const NumberRange& range) {
  const bool has_low = range.low > -std::numeric_limits<double>::max();
  const bool has_high = range.high < std::numeric_limits<double>::max();
  if (has_low && has_high) {
    const std::string_view ends = range.is_low_open || range.is_high_open ? ", ends excluded" : "";
    return Text::join(plain_number(range.low).view(), " to ", plain_number(range.high).view(), ends);
  }
  if (has_low) return Text::join(range.is_low_open ? "above " : "at least ", plain_number(range.low).view());
  if (has_high) return Text::join(range.is_high_open ? "below " : "at most ", plain_number(range.high).view());
  return "any number";
}

LOUPE_DECL Text joined(std::span<const std::string_view> words) {
  Text all;
  for (const std::string_view word : words) all = all.empty() ? Text(word) : Text::join(all.view(), ", ", word);
  return all;
}

inline std::optional<double> parse_number(std::string_view text) noexcept {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Visits parameters until the first error, which names rule and parameter.
class FirstError : public ParameterVisitor {
 public:
  explicit FirstError(std::string_view rule) noexcept : rule_(rule) {}
  [[nodiscard]] result<void> outcome() { return std::move(outcome_); }

 protected:
  void refuse(std::string_view name, std::string_view value, std::string_view allowed) {
    if (!outcome_) return;
    outcome_ = fail(ErrorKind::invalid_argument, Text::join(rule_, ": ", name),
                    Text::join("'", value, "' was given; allowed is ", allowed));
  }
  void check(std::string_view name, double value, NumberRange range) {
    if (!range.contains(value)) refuse(name, number_text(value), range_text(range));
  }
  std::string_view rule_;
  result<void> outcome_;
};

/// Checks values that are there.
class ParameterChecker final : public FirstError {
 public:
  using FirstError::FirstError;
  void number(std::string_view name, double& value, NumberRange range) override { check(name, value, range); }
  void number(std::string_view name, std::optional<double>& value, NumberRange range) override {
    if (value) check(name, *value, range);
  }
  void integer(std::string_view name, std::int64_t& value, NumberRange range) override {
    check(name, static_cast<double>(value), range);
  }
  void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) override {
    if (value) check(name, static_cast<double>(*value), range);
  }
  void flag(std::string_view, bool&) override {}
  void text(std::string_view, Text&) override {}
  void list(std::string_view, std::vector<Text>&) override {}
  void numbers(std::string_view name, std::vector<double>& value, NumberRange range) override {
    for (const double number : value) check(name, number, range);
  }
  void word(std::string_view name, Text& value, std::span<const std::string_view> allowed) override {
    if (std::find(allowed.begin(), allowed.end(), value.view()) == allowed.end()) refuse(name, value, joined(allowed));
  }
};

/// Sets values from strings.
class ParameterParser final : public FirstError {
 public:
  ParameterParser(std::string_view rule, std::span<const NamedParameter> given) : FirstError(rule), given_(given) {}

  void number(std::string_view name, double& value, NumberRange range) override {
    if (const auto text = take(name)) parse(name, *text, value, range);
  }
  void number(std::string_view name, std::optional<double>& value, NumberRange range) override {
    if (const auto text = take(name); text && !is_none(*text)) parse(name, *text, value.emplace(), range);
  }
  void integer(std::string_view name, std::int64_t& value, NumberRange range) override {
    if (const auto text = take(name)) parse_whole(name, *text, value, range);
  }
  void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) override {
    if (const auto text = take(name); text && !is_none(*text)) parse_whole(name, *text, value.emplace(), range);
  }
  void flag(std::string_view name, bool& value) override {
    const auto text = take(name);
    if (!text) return;
    const std::string_view word = trimmed(*text);
    if (word == "True" || word == "true") value = true;
    else if (word == "False" || word == "false") value = false;
    else refuse(name, *text, "True, true, False, false");
  }
  void text(std::string_view name, Text& value) override {
    if (const auto text = take(name); text && !trimmed(*text).empty()) value = trimmed(*text);
  }
  void list(std::string_view name, std::vector<Text>& value) override {
    const auto text = take(name);
    if (!text || trimmed(*text).empty()) return;
    if (auto parts = split_list(*text)) value = *std::move(parts);
    else refuse(name, *text, "a JSON array of strings, or text with commas between");
  }
  void numbers(std::string_view name, std::vector<double>& value, NumberRange range) override {
    std::vector<Text> parts;
    list(name, parts);
    if (parts.empty()) return;
    value.clear();
    for (const Text& part : parts) parse(name, part, value.emplace_back(), range);
  }
  void word(std::string_view name, Text& value, std::span<const std::string_view> allowed) override {
    const auto text = take(name);
    if (!text) return;
    value = trimmed(*text);
    if (std::find(allowed.begin(), allowed.end(), value.view()) == allowed.end()) refuse(name, *text, joined(allowed));
  }

  /// The outcome of all visits; refuses what nobody has asked for.
  [[nodiscard]] result<void> finish() {
    if (!outcome_) return outcome();
    for (const NamedParameter& parameter : given_) {
      if (std::find(known_.begin(), known_.end(), parameter.name.view()) != known_.end()) continue;
      const std::string_view nearest = nearest_name(parameter.name, known_);
      return fail(ErrorKind::invalid_argument, Text::join(rule_, ": ", parameter.name.view()),
                  Text::join("there is no such parameter; there are: ", joined(known_).view(),
                             nearest.empty() ? "" : "; did you mean ", nearest, nearest.empty() ? "" : "?"));
    }
    return {};
  }

 private:
  std::optional<std::string_view> take(std::string_view name) {
    known_.push_back(name);
    std::optional<std::string_view> found;
    for (const NamedParameter& parameter : given_) {
      if (parameter.name != name) continue;
      if (found && outcome_)
        outcome_ = fail(ErrorKind::invalid_argument, Text::join(rule_, ": ", name), "the parameter is given twice");
      found = parameter.value;
    }
    return found;
  }
  static bool is_none(std::string_view text) noexcept { return trimmed(text).empty() || trimmed(text) == "None"; }
  void parse(std::string_view name, std::string_view text, double& value, NumberRange range) {
    const auto number = parse_number(text);
    if (!number || !range.contains(*number)) return refuse(name, text, Text::join("a number, ", range_text(range).view()));
    value = *number;
  }
  void parse_whole(std::string_view name, std::string_view text, std::int64_t& value, NumberRange range) {
    const auto number = parse_number(text);
    if (!number || !range.contains(*number) || *number != std::trunc(*number) || std::abs(*number) > 9e15)
      return refuse(name, text, Text::join("a whole number, ", range_text(range).view()));
    value = static_cast<std::int64_t>(*number);
  }

  std::span<const NamedParameter> given_;
  std::vector<std::string_view> known_;
};

class ParameterPrinter final : public ParameterVisitor {
 public:
  void number(std::string_view name, double& value, NumberRange) override { line(name, number_text(value)); }
  void number(std::string_view name, std::optional<double>& value, NumberRange range) override {
    if (value) number(name, *value, range);
  }
  void integer(std::string_view name, std::int64_t& value, NumberRange) override { line(name, to_text(value)); }
  void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) override {
    if (value) integer(name, *value, range);
  }
  void flag(std::string_view name, bool& value) override { line(name, value ? "True" : "False"); }
  void text(std::string_view name, Text& value) override {
    if (!value.empty()) line(name, value);
  }
  void list(std::string_view name, std::vector<Text>& value) override {
    const std::vector<std::string_view> parts(value.begin(), value.end());
    if (!parts.empty()) line(name, joined(parts));
  }
  void numbers(std::string_view name, std::vector<double>& value, NumberRange) override {
    std::vector<Text> parts;
    for (const double number : value) parts.push_back(plain_number(number));
    list(name, parts);
  }
  void word(std::string_view name, Text& value, std::span<const std::string_view>) override { line(name, value); }
  [[nodiscard]] Text take() { return std::move(lines_); }

 private:
  void line(std::string_view name, std::string_view value) { lines_ = Text::join(lines_.view(), name, ":", value, "\n"); }
  Text lines_;
};

LOUPE_DECL result<void> read_parameters(std::string_view rule, std::span<const NamedParameter> given, VisitParameters visit) {
  ParameterParser parser(rule, given);
  visit(parser);
  return parser.finish();
}

LOUPE_DECL result<void> check_parameters(std::string_view rule, VisitParameters visit) {
  ParameterChecker checker(rule);
  visit(checker);
  return checker.outcome();
}

LOUPE_DECL Text parameters_text(VisitParameters visit) {
  ParameterPrinter printer;
  visit(printer);
  return printer.take();
}

/// The parts of a JSON array of strings and numbers.
inline result<std::vector<Text>> json_list(std::string_view text) {
  wire::JsonReader json(text, "list");
  std::string scratch;
  std::vector<Text> parts;
  LOUPE_TRY(json.begin_array());
  while (true) {
    LOUPE_ASSIGN(const bool has_more, json.next_element());
    if (!has_more) break;
    LOUPE_ASSIGN(const wire::JsonType type, json.peek());
    if (type == wire::JsonType::number) {
      LOUPE_ASSIGN(const double number, json.read_double());
      parts.push_back(number_text(number));
    } else {
      LOUPE_ASSIGN(const std::string_view part, json.read_string(scratch));
      parts.emplace_back(part);
    }
  }
  LOUPE_TRY(json.finish());
  return parts;
}

}  // namespace detail

LOUPE_DECL std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t best = name.size() / 2 + 1;
  std::vector<std::size_t> row;
  for (const std::string_view candidate : known) {
    row.resize(candidate.size() + 1);
    for (std::size_t column = 0; column <= candidate.size(); ++column) row[column] = column;
    for (std::size_t line = 0; line < name.size(); ++line) {
      std::size_t diagonal = std::exchange(row[0], line + 1);
      for (std::size_t column = 0; column < candidate.size(); ++column) {
        const std::size_t replaced = diagonal + (name[line] == candidate[column] ? 0 : 1);
        diagonal = row[column + 1];
        row[column + 1] = std::min({replaced, row[column] + 1, diagonal + 1});
      }
    }
    if (row.back() < best) {
      best = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

LOUPE_DECL result<std::vector<Text>> split_list(std::string_view text) {
  text = detail::trimmed(text);
  if (text.starts_with('[') && text.ends_with(']'))
    if (auto parts = detail::json_list(text)) return parts;  // a pattern may begin and end so too
  std::vector<Text> parts;
  std::size_t begin = 0;
  int depth = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view part = detail::trimmed(text.substr(begin, end - begin));
    if (!part.empty()) parts.emplace_back(part);
    begin = end + 1;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '\\') ++at;
    else if (character == '(' || character == '[' || character == '{') ++depth;
    else if (character == ')' || character == ']' || character == '}') --depth;
    else if (character == ',' && depth <= 0) add(at);
  }
  if (begin <= text.size()) add(text.size());
  return parts;
}

}  // namespace loupe::inline LOUPE_ABI::rules
