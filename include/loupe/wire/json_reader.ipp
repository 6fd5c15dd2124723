#include <utility>

#include "loupe/wire/json_reader.hpp"

namespace loupe::inline LOUPE_ABI::wire {

LOUPE_DECL bool JsonReader::set_fault(const char* at, const char* detail, ErrorKind kind) noexcept {
  fault_at_ = at;
  fault_ = detail;
  fault_kind_ = kind;
  return false;
}

LOUPE_DECL unexpected<Error> JsonReader::failure() const {
  return fail_at(fault_kind_, file_, fault_at_ - begin_, std::string_view(fault_));
}

LOUPE_DECL unexpected<Error> JsonReader::out_of_range() {
  set_fault(value_, "the integer is out of range");
  return failure();
}

LOUPE_DECL unexpected<Error> JsonReader::fail_here(Text detail) const {
  return fail_at(ErrorKind::corrupt, file_, value_ - begin_, std::move(detail));
}

LOUPE_DECL char JsonReader::distant_token() noexcept {
  while (cursor_ != end_ && (*cursor_ == ' ' || *cursor_ == '\n' || *cursor_ == '\r' || *cursor_ == '\t')) ++cursor_;
  return cursor_ != end_ ? *cursor_ : '\0';
}

LOUPE_DECL bool JsonReader::expect_value() {
  if (!wants_value_) [[unlikely]]
    return set_fault(cursor_, "a value was asked for where none can stand", ErrorKind::invalid_state);
  token();
  value_ = cursor_;
  return true;
}

LOUPE_DECL result<JsonType> JsonReader::peek() {
  if (!expect_value()) return failure();
  switch (const char next = token()) {
    case '{': return JsonType::object;
    case '[': return JsonType::array;
    case '"': return JsonType::string;
    case 't':
    case 'f': return JsonType::boolean;
    case 'n': return JsonType::null;
    case 'N':
    case 'I':
      if (options_.allow_non_finite) return JsonType::number;
      break;
    default:
      if (next == '-' || (next >= '0' && next <= '9')) return JsonType::number;
  }
  set_fault(cursor_, "a value is expected");
  return failure();
}

LOUPE_DECL bool JsonReader::open(char bracket) {
  if (!expect_value()) return false;
  if (!is_at(bracket)) [[unlikely]]
    return set_fault(cursor_, bracket == '{' ? "an object is expected" : "an array is expected");
  if (depth_ == max_depth) [[unlikely]]
    return set_fault(cursor_, "values are nested more than 64 deep", ErrorKind::limit_exceeded);
  ++cursor_;
  const std::uint64_t bit = std::uint64_t{1} << depth_;
  objects_ = bracket == '{' ? objects_ | bit : objects_ & ~bit;
  ++depth_;
  is_first_ = true;
  wants_value_ = false;
  return true;
}

LOUPE_DECL JsonReader::Next JsonReader::step_object(std::string_view& key, std::string* scratch) {
  if (wants_value_ || !in_object()) [[unlikely]] {
    set_fault(cursor_, "a key was asked for where none can stand", ErrorKind::invalid_state);
    return Next::fault;
  }
  char next = token();
  if (next == '}') {
    ++cursor_;
    close();
    return Next::end;
  }
  if (!is_first_) {
    if (next != ',') [[unlikely]] {
      set_fault(cursor_, "a comma or the object's end is expected");
      return Next::fault;
    }
    ++cursor_;
    next = token();
  }
  is_first_ = false;
  if (next != '"') [[unlikely]] {
    set_fault(cursor_, "a key is expected");
    return Next::fault;
  }
  value_ = cursor_;
  if (!scan_string(key, scratch)) return Next::fault;
  if (token() != ':') [[unlikely]] {
    set_fault(cursor_, "a colon is expected");
    return Next::fault;
  }
  ++cursor_;
  wants_value_ = true;
  return Next::element;
}

LOUPE_DECL JsonReader::Next JsonReader::step_array() {
  if (wants_value_ || !in_array()) [[unlikely]] {
    set_fault(cursor_, "an element was asked for where none can stand", ErrorKind::invalid_state);
    return Next::fault;
  }
  const char next = token();
  if (next == ']') {
    ++cursor_;
    close();
    return Next::end;
  }
  if (!is_first_) {
    if (next != ',') [[unlikely]] {
      set_fault(cursor_, "a comma or the array's end is expected");
      return Next::fault;
    }
    ++cursor_;
  }
  is_first_ = false;
  wants_value_ = true;
  return Next::element;
}

LOUPE_DECL bool JsonReader::scan_string_value(std::string_view& text, std::string* scratch) {
  if (!expect_value()) return false;
  if (!is_at('"')) [[unlikely]]
    return set_fault(cursor_, "a string is expected");
  wants_value_ = false;
  return scan_string(text, scratch);
}

LOUPE_DECL result<bool> JsonReader::read_bool() {
  if (!expect_value()) return failure();
  const bool is_true = token() == 't';
  if (!scan_word(is_true ? "true" : "false")) {
    fault_ = "true or false is expected";
    return failure();
  }
  return is_true;
}

LOUPE_DECL result<void> JsonReader::read_null() {
  if (expect_value() && scan_word("null")) return {};
  if (fault_kind_ == ErrorKind::corrupt) fault_ = "null is expected";
  return failure();
}

LOUPE_DECL bool JsonReader::skip() {
  if (!expect_value()) return false;
  const unsigned outside = depth_;
  do {
    if (wants_value_) {
      expect_value();
      const char next = token();
      if (!(next == '{' || next == '[' ? open(next) : skip_scalar())) return false;
    } else {
      std::string_view key;
      if ((in_object() ? step_object(key, nullptr) : step_array()) == Next::fault) return false;
    }
  } while (wants_value_ || depth_ > outside);
  return true;
}

LOUPE_DECL result<void> JsonReader::finish() {
  token();
  if (wants_value_ || depth_ != 0) {
    set_fault(cursor_, "the document is not complete");
    return failure();
  }
  if (cursor_ != end_) {
    set_fault(cursor_, "something follows the document");
    return failure();
  }
  return {};
}

}  // namespace loupe::inline LOUPE_ABI::wire
