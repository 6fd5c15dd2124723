#pragma once
/// @file
/// Values of configuration files, in every form in which smdebug's users write them.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/words.hpp"
#include "loupe/wire/json_reader.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// Reads the values of one document. Errors name the file, the path of the key, the place, and what is allowed:
/// `invalid_type` for a value of the wrong kind, `invalid_argument` for another, `corrupt` for no JSON.
class ConfigValues {
 public:
  ConfigValues(std::string_view text, std::string_view file, bool refuses_lists = false)
      : json_(text, file),
        file_(file),
        refuses_lists_(refuses_lists) {}

  [[nodiscard]] wire::JsonReader& json() noexcept { return json_; }
  /// Says which value is read next, for errors.
  void go_to(std::string path) { path_ = std::move(path); }

  /// An error about the value: `reason` goes on where its path ends.
  [[nodiscard]] unexpected<Error> refuse(ErrorKind kind, std::string_view reason) const {
    return fail_at(kind, file_, static_cast<std::int64_t>(json_.offset()), Text::join(path_, " ", reason));
  }
  /// Refuses the kind of the value that comes next.
  [[nodiscard]] unexpected<Error> refuse_type(wire::JsonType type, std::string_view allowed) const {
    constexpr std::string_view names[] = {"an object", "a list", "a text", "a number", "a truth value", "null"};
    return refuse(ErrorKind::invalid_type,
                  Text::join("is ", names[static_cast<std::size_t>(type)], ", but must be ", allowed));
  }
  /// Refuses a text that was read.
  [[nodiscard]] unexpected<Error> refuse_text(std::string_view text, std::string_view allowed) const {
    return refuse(ErrorKind::invalid_argument, Text::join("is \"", text.substr(0, 100), "\", but must be ", allowed));
  }

  /// Calls `take(key)`, which reads the value, for each key of the object that comes next; null is an empty one.
  template <class Take>
  result<void> for_each_key(std::string_view parent, Take&& take) {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::null && !parent.empty()) return json_.read_null();
    if (type != wire::JsonType::object) return refuse_type(type, "an object");
    LOUPE_TRY(json_.begin_object());
    std::string scratch;
    while (true) {
      LOUPE_ASSIGN(const auto found, json_.next_key(scratch));
      if (!found) return {};
      const std::string key(*found);
      path_ = parent.empty() ? key : std::string(parent).append(".").append(key);
      LOUPE_TRY(take(std::string_view(key)));
    }
  }

  result<Text> read_text() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type != wire::JsonType::string) return refuse_type(type, "a text");
    LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
    return Text(text);
  }

  /// The number that a text is, blanks around it allowed.
  result<std::int64_t> to_number(std::string_view text) const {
    std::string_view digits = trimmed(text);
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return refuse_text(text, "a whole number");
    return number;
  }

  /// A number, cut to a whole one, or a text of a whole number.
  result<std::int64_t> read_number() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::string) {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
      return to_number(text);
    }
    if (type != wire::JsonType::number) return refuse_type(type, "a number, or a text of one");
    constexpr double limit = 9007199254740992.0;  // where doubles stop telling whole numbers apart
    LOUPE_ASSIGN(const double number, json_.read_double());
    if (!(number > -limit && number < limit))
      return refuse(ErrorKind::invalid_argument, "is too large for a number of steps");
    return static_cast<std::int64_t>(number);
  }

  /// A truth value: as such, as the texts `true`, `True`, `false`, `False`, or as 0 and 1.
  result<bool> read_flag() {
    constexpr std::string_view allowed = "true or false";
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::boolean) return json_.read_bool();
    if (type == wire::JsonType::string) {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
      if (text == "true" || text == "True") return true;
      if (text == "false" || text == "False") return false;
      return refuse_text(text, allowed);
    }
    if (type != wire::JsonType::number) return refuse_type(type, allowed);
    LOUPE_ASSIGN(const double number, json_.read_double());
    if (number != 0 && number != 1)
      return refuse(ErrorKind::invalid_argument, "is a number besides 0 and 1, but must be true or false");
    return number == 1;
  }

  /// Calls `take(std::string_view)` for each word of a comma-separated text, or each element of a list.
  template <class Take>
  result<void> read_words(std::string_view allowed, Take&& take) {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::string) {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
      result<void> outcome;
      for_each_word(text, [&](std::string_view word) {
        if (outcome) outcome = take(word);
      });
      return outcome;
    }
    if (type != wire::JsonType::array || refuses_lists_) return refuse_type(type, allowed);
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      LOUPE_ASSIGN(const wire::JsonType element, json_.peek());
      if (element == wire::JsonType::number) {
        LOUPE_ASSIGN(const std::int64_t number, read_number());
        LOUPE_TRY(take(to_text(number).view()));
      } else {
        LOUPE_ASSIGN(const Text text, read_text());
        LOUPE_TRY(take(text.view()));
      }
    }
  }

 private:
  wire::JsonReader json_;
  std::string_view file_;
  std::string path_;
  std::string scratch_;
  bool refuses_lists_;
};

}  // namespace loupe::inline LOUPE_ABI::format
