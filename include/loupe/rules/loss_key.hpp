#pragma once
/// @file
/// Which losses of training and of validation belong together (rules.md 5.11).

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/evidence.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Whether a loss is of training or of validation data.
enum class LossSide : std::uint8_t { neither, train, validation };

/// A loss by the name that both sides have, and its side: that of the step's mode, unless the name itself has one, as
/// XGBoost's `train-rmse` and `validation-rmse` have.
struct LossKey {
  std::string_view name;
  LossSide side = LossSide::neither;
};

inline LossKey loss_key(const Evidence& loss) noexcept {
  constexpr std::string_view sets[] = {"train", "validation", "eval", "test", "valid", "val"};
  const std::size_t hyphen = loss.tensor.name.find('-');
  if (hyphen != std::string_view::npos)
    for (const std::string_view set : sets)
      if (loss.tensor.name.substr(0, hyphen) == set)
        return {loss.tensor.name.substr(hyphen + 1), set == "train" ? LossSide::train : LossSide::validation};
  const Mode mode = loss.at.mode.mode;
  return {loss.tensor.name, mode == Mode::train ? LossSide::train : mode == Mode::eval ? LossSide::validation : LossSide::neither};
}

/// A state for each loss of each worker, whichever side it is seen on.
template <class State>
class PerLoss {
 public:
  State& of(const Evidence& loss, std::string_view name) { return states_[{Text(name), Text(loss.worker)}]; }

 private:
  std::map<std::pair<Text, Text>, State> states_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
