#include "loupe/storage/any_storage.hpp"

#include <memory>
#include <string>
#include <vector>

#include "loupe/storage/fault.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/storage/memory.hpp"
#include "storage/archetype.hpp"
#include "support/catch.hpp"
#include "support/storage_conformance.hpp"
#include "support/temporary_folder.hpp"

using loupe::AnyStorage;
using loupe::ErrorKind;
using loupe::MemoryStorage;
using loupe::PutMode;

static_assert(loupe::Storage<AnyStorage>);

TEST_CASE("any storage over memory is a storage") {
  storage_conformance([] { return AnyStorage(MemoryStorage()); });
}

TEST_CASE("any storage over the local file system is a storage") {
  std::vector<std::unique_ptr<TemporaryFolder>> folders;
  storage_conformance([&] {
    folders.push_back(std::make_unique<TemporaryFolder>());
    return AnyStorage(loupe::LocalStorage(folders.back()->path()));
  });
}

TEST_CASE("copies of any storage share it, and name and capabilities are those of what it holds") {
  const AnyStorage storage{MemoryStorage()};
  const AnyStorage copy = storage;
  REQUIRE(copy.put("a", {}, PutMode::replace));
  CHECK(storage.stat("a"));
  CHECK(storage.name() == MemoryStorage().name());
  CHECK(storage.capabilities().map);
  CHECK_FALSE(storage.capabilities().append);
}

TEST_CASE("the smallest storage can be held: what it lacks is unsupported or empty") {
  const AnyStorage storage{SmallestStorage()};
  CHECK(storage.map("a").error().kind == ErrorKind::unsupported);
  REQUIRE(storage.list_unfinished("", [](const auto&) { return true; }));
  CHECK(storage.stage("a")->append({}).value() == 0);
}

TEST_CASE("a storage's refusals pass through") {
  const AnyStorage storage{
      loupe::FaultStorage(MemoryStorage(), loupe::FaultPlan::fail_nth(1, UINT64_MAX, ErrorKind::no_space))};
  CHECK(storage.stage("a").error().kind == ErrorKind::no_space);
  CHECK(storage.map("a").error().kind == ErrorKind::no_space);
}

TEST_CASE("removing all below a prefix goes on behind a failure and reports the first") {
  MemoryStorage memory;
  for (const std::string_view key : {"a/1", "a/2", "a/3", "ab", "b"}) REQUIRE(memory.put(key, {}, PutMode::replace));
  const auto plan = loupe::FaultPlan::fail_nth(2).only(loupe::StorageOperation::remove);
  const auto outcome = remove_all(AnyStorage(loupe::FaultStorage(memory, plan)), "a/");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().object == "a/2");
  CHECK(plan.operations() == 3);
  CHECK(memory.stat("a/2"));
  CHECK_FALSE(memory.stat("a/3"));
  REQUIRE(remove_all(AnyStorage(memory), ""));
  CHECK_FALSE(memory.stat("b"));
}
