#include "loupe/storage/fault.hpp"

#include <string>
#include <vector>

#include "loupe/storage/memory.hpp"
#include "storage/archetype.hpp"
#include "support/catch.hpp"
#include "support/storage_conformance.hpp"

using loupe::ErrorKind;
using loupe::FaultPlan;
using loupe::FaultStorage;
using loupe::MemoryStorage;
using loupe::PutMode;
using loupe::StorageOperation;

static_assert(loupe::Storage<FaultStorage<SmallestStorage>>);

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Each operation once, in this order; how each ended.
constexpr StorageOperation order[] = {StorageOperation::put,    StorageOperation::stat,   StorageOperation::read,
                                      StorageOperation::map,    StorageOperation::list,   StorageOperation::stage,
                                      StorageOperation::append, StorageOperation::commit, StorageOperation::remove};

std::vector<loupe::result<void>> every_operation(FaultStorage<MemoryStorage> storage) {
  std::vector<loupe::result<void>> outcomes;
  const auto add = [&](auto outcome) {
    outcomes.push_back(outcome ? loupe::result<void>() : loupe::result<void>(loupe::fail(std::move(outcome).error())));
  };
  add(storage.put("object", bytes_of("text"), PutMode::replace));
  if (!outcomes.back()) return outcomes;
  add(storage.stat("object"));
  loupe::ByteBuffer bytes;
  add(storage.read("object", {}, bytes));
  add(storage.map("object"));
  add(storage.list({}, {}, [](const auto&) { return true; }));
  auto staged = storage.stage("staged");
  const bool is_staged = staged.has_value();
  if (is_staged) {
    outcomes.emplace_back();
    add(staged->append(bytes_of("0123456789")));
    if (outcomes.back()) add(staged->commit());
  } else {
    add(std::move(staged));
  }
  if (is_staged && outcomes.back()) add(storage.remove("object"));
  return outcomes;
}

}  // namespace

TEST_CASE("a storage with an empty plan is a storage") {
  storage_conformance([] { return FaultStorage(MemoryStorage(), FaultPlan()); });
}

TEST_CASE("without faults operations are counted") {
  const FaultPlan plan;
  const auto outcomes = every_operation({MemoryStorage(), plan});
  CHECK(outcomes.size() == std::size(order));
  for (const auto& outcome : outcomes) CHECK(outcome);
  CHECK(plan.operations() == std::size(order));
}

TEST_CASE("the n-th operation fails, whichever it is, with the planned kind, and none before") {
  for (std::uint64_t n = 1; n <= std::size(order); ++n) {
    const auto kind = n % 2 == 0 ? ErrorKind::no_space : ErrorKind::permission_denied;
    const auto outcomes = every_operation({MemoryStorage(), FaultPlan::fail_nth(n, 1, kind)});
    REQUIRE(outcomes.size() >= n);
    for (std::size_t before = 0; before + 1 < n; ++before) CHECK(outcomes[before]);
    REQUIRE_FALSE(outcomes[n - 1]);
    CHECK(outcomes[n - 1].error().kind == kind);
    CHECK(outcomes[n - 1].error().object.empty() == (order[n - 1] == StorageOperation::list));
  }
}

TEST_CASE("a plan for one operation leaves and counts no other") {
  for (std::uint64_t index = 0; index < std::size(order); ++index) {
    const auto plan = FaultPlan::fail_nth(1).only(order[index]);
    const auto outcomes = every_operation({MemoryStorage(), plan});
    REQUIRE(outcomes.size() > index);
    for (std::size_t other = 0; other < outcomes.size(); ++other)
      CHECK(outcomes[other].has_value() == (other != index));
    CHECK(plan.operations() == 1);
  }
}

TEST_CASE("as many operations fail as were planned, across copies") {
  FaultStorage first(MemoryStorage(), FaultPlan::fail_nth(2, 3));
  auto second = first;
  std::vector<bool> outcomes;
  for (int turn = 0; turn < 3; ++turn)
    for (auto* storage : {&first, &second}) outcomes.push_back(storage->remove("a").has_value());
  CHECK(outcomes == std::vector<bool>{true, false, false, false, true, true});
}

TEST_CASE("the 0th operation is none, and all can be planned to fail") {
  FaultStorage never(MemoryStorage(), FaultPlan::fail_nth(0, UINT64_MAX));
  FaultStorage always(MemoryStorage(), FaultPlan::fail_nth(1, UINT64_MAX));
  for (int turn = 0; turn < 10; ++turn) {
    CHECK(never.remove("a"));
    CHECK_FALSE(always.remove("a"));
  }
}

TEST_CASE("a planned failure of an append leaves half of the bytes behind, as a full disk does") {
  MemoryStorage memory;
  FaultStorage storage(memory, FaultPlan::fail_nth(2).only(StorageOperation::append));
  auto staged = storage.stage("a");
  REQUIRE(staged->append(bytes_of("begin ")));
  REQUIRE_FALSE(staged->append(bytes_of("0123456789")));
  REQUIRE(staged->commit());
  CHECK(memory.stat("a")->size == 11);
}

TEST_CASE("a planned failure of a commit publishes nothing") {
  MemoryStorage memory;
  FaultStorage storage(memory, FaultPlan::fail_nth(1).only(StorageOperation::commit));
  {
    auto staged = storage.stage("a");
    REQUIRE(staged->append(bytes_of("text")));
    REQUIRE_FALSE(staged->commit());
  }
  CHECK_FALSE(memory.stat("a"));
}
