#include "loupe/trial/trial_policies.hpp"

#include <type_traits>

#include "loupe/base/clock.hpp"
#include "loupe/base/manual_clock.hpp"
#include "loupe/reduce/fused.hpp"
#include "loupe/reduce/numpy_definitions.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"

using loupe::Expect;
using loupe::ManualClock;
using loupe::MemoryStorage;

namespace {

/// The smallest rule of completeness.
struct TwoWorkers {
  static std::uint32_t required_workers(std::uint32_t) { return 2; }
};

}  // namespace

TEST_CASE("policies in any order name the same type") {
  CHECK(std::is_same_v<loupe::Trial<MemoryStorage, Expect, ManualClock>, loupe::Trial<ManualClock, MemoryStorage, Expect>>);
  CHECK(std::is_same_v<loupe::Trial<>, loupe::Trial<loupe::LocalStorage>>);
  CHECK(std::is_same_v<loupe::Trial<loupe::AllWorkers>, loupe::Trial<loupe::SystemClock, loupe::compat::Native>>);
  CHECK_FALSE(std::is_same_v<loupe::Trial<loupe::AnyWorker>, loupe::Trial<>>);
}

TEST_CASE("reductions are computed by smdebug's definitions where smdebug is imitated") {
  CHECK(std::is_same_v<loupe::Trial<loupe::compat::Smdebug>, loupe::Trial<loupe::compat::Smdebug, loupe::NumpyDefinitions>>);
  CHECK(std::is_same_v<loupe::Trial<>, loupe::Trial<loupe::Fused>>);
}

TEST_CASE("rules of completeness say how many workers must have written a step") {
  STATIC_REQUIRE(loupe::Completeness<TwoWorkers>);
  STATIC_REQUIRE_FALSE(loupe::Completeness<Expect>);
  STATIC_REQUIRE_FALSE(loupe::PatternEngine<Expect>);
  STATIC_REQUIRE(loupe::PatternEngine<loupe::Patterns<&loupe::compile_python_regex>>);
  CHECK(loupe::AllWorkers::required_workers(8) == 8);
  CHECK(loupe::AnyWorker::required_workers(8) == 1);
}
