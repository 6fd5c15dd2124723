#include "loupe/format/checkpoint_state.hpp"

#include <algorithm>
#include <string>

#include "loupe/base/step.hpp"
#include "loupe/wire/json_reader.hpp"
#include "loupe/wire/json_writer.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The parser of one document.
class CheckpointStateParser {
 public:
  CheckpointStateParser(std::string_view text, std::string_view file) noexcept : json_(text, file) {}

  result<std::vector<CheckpointState>> parse() {
    std::vector<CheckpointState> states;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) break;
      LOUPE_ASSIGN(CheckpointState state, parse_state());
      states.push_back(state);
    }
    LOUPE_TRY(json_.finish());
    std::vector<std::size_t> order(states.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::sort(order.begin(), order.end(), [&states](std::size_t a, std::size_t b) {
      const std::int64_t left = states[a].latest_global_step_seen, right = states[b].latest_global_step_seen;
      return left != right ? left < right : a < b;
    });
    std::vector<CheckpointState> sorted;
    sorted.reserve(states.size());
    for (const std::size_t index : order) sorted.push_back(states[index]);
    return sorted;
  }

 private:
  result<CheckpointState> parse_state() {
    CheckpointState state;
    int found = 0;
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      if (*key == "training-run") {
        LOUPE_ASSIGN(state.training_run, read_step());
        found |= 1;
      } else if (*key == "latest-global-step-saved") {
        LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
        if (type == wire::JsonType::null) {
          LOUPE_TRY(json_.read_null());
        } else {
          LOUPE_ASSIGN(state.latest_global_step_saved, read_step());
        }
        found |= 2;
      } else if (*key == "latest-global-step-seen") {
        LOUPE_ASSIGN(state.latest_global_step_seen, read_step());
        found |= 4;
      } else if (*key == "latest-mode-step") {
        LOUPE_TRY(parse_mode_steps(state));
        found |= 8;
      } else {
        LOUPE_TRY(json_.skip_value());
      }
    }
    if (found != 15)
      return json_.fail_here(
          "a state lacks one of training-run, latest-global-step-saved, latest-global-step-seen, latest-mode-step");
    return state;
  }

  result<void> parse_mode_steps(CheckpointState& state) {
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) return {};
      const std::optional<Mode> mode = mode_from_name(*key);
      if (!mode) return json_.fail_here("a mode is none of TRAIN, EVAL, PREDICT, GLOBAL");
      LOUPE_ASSIGN(state.latest_mode_step[mode_index(*mode)], read_step());
    }
  }

  /// A step, or -1 for none yet.
  result<std::int64_t> read_step() {
    LOUPE_ASSIGN(const std::int64_t step, json_.read_int64());
    if (step < -1 || step > max_resumed_step) return json_.fail_here("a step is below -1 or too large");
    return step;
  }

  wire::JsonReader json_;
  std::string scratch_;
};

}  // namespace detail

LOUPE_DECL result<std::vector<CheckpointState>> read_checkpoint_states(std::string_view text, std::string_view file) {
  return detail::CheckpointStateParser(text, file).parse();
}

LOUPE_DECL void write_checkpoint_states(ByteBuffer& out, const std::vector<CheckpointState>& states) {
  wire::JsonWriter json(out);
  json.begin_array();
  for (const CheckpointState& state : states) {
    json.begin_object().key("training-run").number(state.training_run).key("latest-global-step-saved");
    if (state.latest_global_step_saved) json.number(*state.latest_global_step_saved);
    else json.null();
    json.key("latest-global-step-seen").number(state.latest_global_step_seen).key("latest-mode-step").begin_object();
    for (const Mode mode : {Mode::global, Mode::train, Mode::eval, Mode::predict})
      if (const auto& step = state.latest_mode_step[mode_index(mode)]) json.key(mode_name(mode)).number(*step);
    json.end_object().end_object();
  }
  json.end_array();
}

}  // namespace loupe::inline LOUPE_ABI::format
