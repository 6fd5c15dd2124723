#include "loupe/format/index.hpp"

#include <optional>
#include <string>

#include "loupe/storage/concept.hpp"
#include "loupe/wire/json_reader.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The parser of one document.
class IndexParser {
 public:
  IndexParser(std::string_view text, std::string_view file, IndexVisitor& visitor) noexcept
      : json_(text, file), file_(file), visitor_(visitor) {}

  result<void> parse() {
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      if (*key == "meta") { LOUPE_TRY(parse_meta()); }
      else if (*key == "tensor_payload") { LOUPE_TRY(parse_tensors()); }
      else if (*key == "shape_payload") { LOUPE_TRY(parse_shapes()); }
      else { LOUPE_TRY(json_.skip_value()); }
    }
    LOUPE_TRY(json_.finish());
    if (!has_meta_) return fail(ErrorKind::index_reader, file_, "the document has no meta");
    if (!has_payload_) return fail(ErrorKind::index_reader, file_, "the document has neither tensor_payload nor shape_payload");
    if (has_records_ && !has_event_file_)
      return fail(ErrorKind::index_reader, file_, "the document has records but no meta.event_file_name");
    return {};
  }

 private:
  result<void> parse_meta() {
    IndexMeta meta;
    std::optional<Mode> mode;
    bool has_mode_step = false;
    bool has_key = false;
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      has_key = true;
      if (*key == "mode") {
        LOUPE_ASSIGN(const std::string_view name, json_.read_string(scratch_));
        mode = mode_from_name(trimmed_blanks(name));
        if (!mode) return json_.fail_here("the mode is none of TRAIN, EVAL, PREDICT, GLOBAL");
      } else if (*key == "mode_step") {
        LOUPE_ASSIGN(meta.mode_step, read_mode_step());
        has_mode_step = true;
      } else if (*key == "event_file_name") {
        LOUPE_ASSIGN(const std::string_view name, json_.read_string(event_file_scratch_));
        if (!check_key(name)) return json_.fail_here("the event file is not named by a path within the trial");
        meta.event_file_name = name;
        has_event_file_ = true;
      } else {
        LOUPE_TRY(json_.skip_value());
      }
    }
    if (!has_key) return fail(ErrorKind::index_reader, file_, "the document's meta is empty");
    if (!mode || !has_mode_step) return fail(ErrorKind::index_reader, file_, "the document's meta lacks mode or mode_step");
    if (has_meta_) return json_.fail_here("the document has a second meta");
    has_meta_ = true;
    meta.mode = *mode;
    return visitor_.meta(meta);
  }

  /// A number, or as of old a text of digits.
  result<std::int64_t> read_mode_step() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type != wire::JsonType::string) return json_.read_int64();
    LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
    const std::string_view digits = trimmed_blanks(text);
    std::int64_t number = 0;
    for (const char digit : digits) {
      if (digit < '0' || digit > '9' || number > (INT64_MAX - 9) / 10) return json_.fail_here("the mode step is not a number");
      number = number * 10 + (digit - '0');
    }
    if (digits.empty()) return json_.fail_here("the mode step is not a number");
    return number;
  }

  result<void> parse_tensors() {
    has_payload_ = true;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      std::optional<std::string_view> name;
      std::optional<std::uint64_t> start;
      std::optional<std::uint64_t> length;
      LOUPE_TRY(json_.begin_object());
      while (true) {
        LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
        if (!key) break;
        if (*key == "tensorname") { LOUPE_ASSIGN(name, json_.read_string(name_scratch_)); }
        else if (*key == "start_idx") { LOUPE_ASSIGN(start, json_.read_uint64()); }
        else if (*key == "length") { LOUPE_ASSIGN(length, json_.read_uint64()); }
        else { LOUPE_TRY(json_.skip_value()); }
      }
      if (!name || !start || !length) return json_.fail_here("an entry lacks tensorname, start_idx or length");
      has_records_ = true;
      LOUPE_TRY(visitor_.tensor(*name, *start, *length));
    }
  }

  result<void> parse_shapes() {
    has_payload_ = true;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      std::optional<std::string_view> name;
      std::optional<std::string_view> original_name;
      std::optional<Shape> shape;
      LOUPE_TRY(json_.begin_object());
      while (true) {
        LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
        if (!key) break;
        if (*key == "tensorname") { LOUPE_ASSIGN(name, json_.read_string(name_scratch_)); }
        else if (*key == "originalname") { LOUPE_ASSIGN(original_name, json_.read_string(original_scratch_)); }
        else if (*key == "shape") { LOUPE_ASSIGN(shape, read_shape()); }
        else { LOUPE_TRY(json_.skip_value()); }
      }
      if (!name || !shape) return json_.fail_here("an entry lacks tensorname or shape");
      LOUPE_TRY(visitor_.shape(*name, original_name.value_or(*name), *shape));
    }
  }

  result<Shape> read_shape() {
    Shape shape;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) break;
      LOUPE_ASSIGN(const std::int64_t size, json_.read_int64());
      if (size < 0) return json_.fail_here("a size of a shape is negative");
      if (!shape.push_back(size)) return json_.fail_here("a shape has more than 32 axes");
    }
    return shape;
  }

  static std::string_view trimmed_blanks(std::string_view text) noexcept {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) text.remove_suffix(1);
    return text;
  }

  wire::JsonReader json_;
  std::string_view file_;
  IndexVisitor& visitor_;
  std::string scratch_;
  std::string name_scratch_;
  std::string original_scratch_;
  std::string event_file_scratch_;
  bool has_meta_ = false;
  bool has_payload_ = false;
  bool has_records_ = false;
  bool has_event_file_ = false;
};

}  // namespace detail

LOUPE_DECL result<void> parse_index(std::string_view text, std::string_view file, IndexVisitor& visitor) {
  auto outcome = detail::IndexParser(text, file, visitor).parse();
  // Whatever is wrong with the text makes the index unreadable; what the visitor refused keeps its kind.
  if (!outcome && outcome.error().kind == ErrorKind::corrupt) outcome.error().kind = ErrorKind::index_reader;
  return outcome;
}

LOUPE_DECL IndexWriter::IndexWriter(ByteBuffer& out, Mode mode, std::int64_t mode_step, std::string_view event_file_name) : json_(out) {
  json_.begin_object().key("meta").begin_object();
  json_.key("mode").string(mode_name(mode)).key("mode_step").number(mode_step);
  if (!event_file_name.empty()) json_.key("event_file_name").string(event_file_name);
  json_.end_object().key("tensor_payload").begin_array();
}

LOUPE_DECL void IndexWriter::tensor(std::string_view name, std::uint64_t start, std::uint64_t length) {
  json_.begin_object().key("tensorname").string(name).key("start_idx").number(start).key("length").number(length).end_object();
}

LOUPE_DECL void IndexWriter::shape(std::string_view name, std::string_view original_name, const Shape& shape) {
  begin_shapes();
  json_.begin_object().key("tensorname").string(name).key("originalname").string(original_name).key("shape").begin_array();
  for (const std::int64_t size : shape) json_.number(size);
  json_.end_array().end_object();
}

LOUPE_DECL void IndexWriter::finish() {
  begin_shapes();
  json_.end_array().end_object();
}

LOUPE_DECL void IndexWriter::begin_shapes() {
  if (in_shapes_) return;
  in_shapes_ = true;
  json_.end_array().key("shape_payload").begin_array();
}

}  // namespace loupe::inline LOUPE_ABI::format
