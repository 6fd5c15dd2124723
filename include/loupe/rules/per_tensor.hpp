#pragma once
/// @file
/// What a rule remembers of each tensor of each worker.

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/evidence.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A state for each tensor and worker, made when it is first asked for. Iterated by tensor number, then by worker.
template <class State>
class PerTensor {
 public:
  State& of(const Evidence& evidence) {
    const Key key{evidence.tensor.number, evidence.worker};
    const auto found = states_.find(key);
    return found != states_.end() ? found->second : states_.emplace(OwnedKey{key.number, Text(key.worker)}, State{}).first->second;
  }
  [[nodiscard]] auto begin() const noexcept { return states_.begin(); }
  [[nodiscard]] auto end() const noexcept { return states_.end(); }

 private:
  struct Key {
    std::uint32_t number;
    std::string_view worker;
  };
  struct OwnedKey {
    std::uint32_t number;
    Text worker;
  };
  struct Before {
    using is_transparent = void;
    template <class One, class Other>
    bool operator()(const One& one, const Other& other) const noexcept {
      if (one.number != other.number) return one.number < other.number;
      return std::string_view(one.worker) < std::string_view(other.worker);
    }
  };
  std::map<OwnedKey, State, Before> states_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
