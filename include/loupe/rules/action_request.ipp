#include <algorithm>
#include <string>

#include "loupe/rules/action_request.hpp"
#include "loupe/wire/json_reader.hpp"

namespace loupe::inline LOUPE_ABI::rules {

namespace detail {

inline bool is_lower_or_digit(char character) noexcept {
  return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}
inline bool is_word_character(char character) noexcept {
  return is_lower_or_digit(character) || (character >= 'A' && character <= 'Z') || character == '_';
}
inline bool is_job_prefix(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char character) {
    return (is_word_character(character) && character != '_') || character == '-';
  });
}
/// `^[a-z0-9]+[@]\w+[.]\w{2,3}$`.
inline bool is_email(std::string_view text) noexcept {
  const std::size_t at = text.find('@');
  const std::size_t dot = text.rfind('.');
  if (at == std::string_view::npos || dot == std::string_view::npos || at == 0 || dot < at + 2) return false;
  const std::string_view name = text.substr(0, at);
  const std::string_view host = text.substr(at + 1, dot - at - 1);
  const std::string_view top = text.substr(dot + 1);
  return std::all_of(name.begin(), name.end(), is_lower_or_digit) && std::all_of(host.begin(), host.end(), is_word_character) &&
         (top.size() == 2 || top.size() == 3) && std::all_of(top.begin(), top.end(), is_word_character);
}
/// `^\+\d{1,15}$`.
inline bool is_telephone_number(std::string_view text) noexcept {
  return text.size() >= 2 && text.size() <= 16 && text[0] == '+' &&
         std::all_of(text.begin() + 1, text.end(), [](char character) { return character >= '0' && character <= '9'; });
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& character : lower)
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  return lower;
}

/// What one object of `action_json` says; text of other types than strings counts as missing.
struct ActionEntry {
  std::string name, endpoint, prefix;
};

inline result<ActionEntry> read_action_entry(wire::JsonReader& json) {
  ActionEntry entry;
  std::string key_scratch, scratch;
  LOUPE_TRY(json.begin_object());
  while (true) {
    LOUPE_ASSIGN(const auto key, json.next_key(key_scratch));
    if (!key) return entry;
    std::string* const field = *key == "name" ? &entry.name : *key == "endpoint" ? &entry.endpoint : *key == "training_job_prefix" ? &entry.prefix : nullptr;
    LOUPE_ASSIGN(const wire::JsonType type, json.peek());
    if (field == nullptr || type != wire::JsonType::string) {
      LOUPE_TRY(json.skip_value());
      continue;
    }
    LOUPE_ASSIGN(const std::string_view value, json.read_string(scratch));
    *field = value;
  }
}

inline void add_action(const ActionEntry& entry, ActionRequests& requests) {
  if (entry.name.empty()) return;
  const std::string name = lower_case(entry.name);
  for (const ActionKind kind : {ActionKind::stop_training, ActionKind::email, ActionKind::sms}) {
    if (name != action_name(kind)) continue;
    const bool is_stop = kind == ActionKind::stop_training;
    ActionRequest request{kind, is_stop ? entry.prefix : entry.endpoint};
    if (const auto checked = check_action(request); checked) requests.actions.push_back(std::move(request));
    else requests.skipped.push_back(checked.error().message());
    return;
  }
  requests.skipped.push_back(Text::join("action ", entry.name, ": there is no such action; there are stoptraining, email, sms"));
}

inline result<ActionRequests> parse_actions(std::string_view text) {
  ActionRequests requests;
  wire::JsonReader json(text, "action_json");
  LOUPE_ASSIGN(const wire::JsonType type, json.peek());
  if (type == wire::JsonType::object) {
    LOUPE_ASSIGN(const ActionEntry entry, read_action_entry(json));
    add_action(entry, requests);
  } else if (type == wire::JsonType::array) {
    LOUPE_TRY(json.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_more, json.next_element());
      if (!has_more) break;
      LOUPE_ASSIGN(const wire::JsonType element, json.peek());
      if (element != wire::JsonType::object) {
        LOUPE_TRY(json.skip_value());
        requests.skipped.emplace_back("action_json: an entry of the list is not an object");
        continue;
      }
      LOUPE_ASSIGN(const ActionEntry entry, read_action_entry(json));
      add_action(entry, requests);
    }
  } else {
    LOUPE_TRY(json.skip_value());
    requests.skipped.emplace_back("action_json: it is neither an object nor a list");
  }
  LOUPE_TRY(json.finish());
  return requests;
}

/// The text with its quotes unescaped.
inline std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '"') continue;
    plain.push_back(text[at]);
  }
  return plain;
}

}  // namespace detail

LOUPE_DECL result<void> check_action(const ActionRequest& action) {
  const Text object = Text::join("action ", action_name(action.kind));
  switch (action.kind) {
    case ActionKind::stop_training:
      if (detail::is_job_prefix(action.target)) return {};
      return fail(ErrorKind::invalid_argument, object, "training_job_prefix must be given, of letters, digits and hyphens only");
    case ActionKind::email:
      if (detail::is_email(action.target)) return {};
      return fail(ErrorKind::invalid_argument, object, "endpoint must be an address such as abc@def.gh: before the @ small letters and digits only");
    case ActionKind::sms:
      if (detail::is_telephone_number(action.target)) return {};
      return fail(ErrorKind::invalid_argument, object, "endpoint must be a telephone number such as +1234567, with at most 15 digits");
  }
  return fail(ErrorKind::invalid_argument, object, "there is no such action");
}

LOUPE_DECL result<ActionRequests> read_action_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return ActionRequests();
  auto requests = detail::parse_actions(text);
  if (requests || text.find("\\\"") == std::string_view::npos) return requests;
  return detail::parse_actions(detail::without_escapes(text));
}

}  // namespace loupe::inline LOUPE_ABI::rules
