#pragma once
/// @file
/// The actions that a rule's parameter `action_json` asks for (rules.md section 7).

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// What a fired rule is to do, by the service's names.
enum class ActionKind : std::uint8_t { stop_training, email, sms };

/// `stoptraining`, `email`, `sms`.
constexpr std::string_view action_name(ActionKind kind) noexcept {
  constexpr std::string_view names[] = {"stoptraining", "email", "sms"};
  return names[static_cast<std::size_t>(kind)];
}

struct ActionRequest {
  ActionKind kind = ActionKind::stop_training;
  Text target;  ///< the prefix of the training job's name, the address, the telephone number
  friend bool operator==(const ActionRequest&, const ActionRequest&) = default;
};

/// Actions as they were asked for, and why others were not understood.
struct ActionRequests {
  std::vector<ActionRequest> actions;
  std::vector<Text> skipped;  ///< a sentence for each entry that smdebug, too, passes over with a message
};

/// Whether a target is what the service takes: a job's prefix of letters, digits and hyphens; an address such as
/// `abc@def.gh` in lower case; a telephone number in E.164 such as `+1234567`. `invalid_argument` says which.
LOUPE_DECL result<void> check_action(const ActionRequest& action);

/// Reads `action_json`: one object or a list of them, plain or with escaped quotes; blank text asks for nothing. Text that
/// isn't JSON is an error, for a stop that is lost in silence is worse than a rule that doesn't start. An object without a
/// name is passed over in silence; one that is unknown, lacks its target or has one that `check_action` refuses is noted
/// in `skipped`. The name's letters may be of either case.
LOUPE_DECL result<ActionRequests> read_action_json(std::string_view text);

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/action_request.ipp"
#endif
