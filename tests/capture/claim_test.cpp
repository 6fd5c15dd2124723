#include "loupe/capture/claim.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "loupe/storage/local.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

using loupe::AnyStorage;
using loupe::ByteBuffer;
using loupe::Claim;
using loupe::ClaimOwner;
using loupe::ErrorKind;
using loupe::MemoryStorage;
using loupe::PutMode;
using loupe::UnknownClaim;

namespace {

constexpr std::string_view key = "claim.smd";

void put(const AnyStorage& storage, std::string_view content) {
  REQUIRE(storage.put(key, {reinterpret_cast<const std::byte*>(content.data()), content.size()}, PutMode::replace));
}

std::string content(const AnyStorage& storage) {
  ByteBuffer bytes;
  REQUIRE(storage.read(key, {}, bytes));
  return std::string(bytes.text());
}

bool exists(const AnyStorage& storage) { return storage.stat(key).has_value(); }

std::size_t object_count(const AnyStorage& storage) {
  std::size_t count = 0;
  REQUIRE(storage.list("", {}, [&](const auto&) { return ++count, true; }));
  return count;
}

/// A process that has ended.
ClaimOwner ended_process() {
  const ChildProcess child([] {});
  ClaimOwner owner = ClaimOwner::this_process();
  owner.pid = child.pid();
  return owner;
}

}  // namespace

TEST_CASE("a claim names its process, and can be read back") {
  const ClaimOwner owner = ClaimOwner::this_process();
  const auto read = ClaimOwner::parse(owner.line());
  REQUIRE(read);
  CHECK(read->pid == owner.pid);
  CHECK(read->start_time == owner.start_time);
  CHECK(read->host == owner.host);
  CHECK(owner.start_time > 0);
  CHECK(owner.state() == ClaimOwner::State::running);
}

TEST_CASE("what is not a claim of loupe's is none") {
  for (const std::string_view line :
       {"", "\n", "loupe", "loupe pid", "loupe pid x start 1 host h", "loupe pid 0 start 1 host h",
        "loupe pid -5 start 1 host h", "loupe pid 5 start 1", "loupe pid 5 start 1 host ",
        "loupe pid 99999999999999999999 start 1 host h", "other pid 5 start 1 host h"}) {
    INFO(line);
    CHECK_FALSE(ClaimOwner::parse(line));
  }
}

TEST_CASE("a claim stands until it is released or its object goes") {
  const AnyStorage storage{MemoryStorage()};
  {
    auto claim = Claim::acquire(storage, key, UnknownClaim::respect);
    REQUIRE(claim);
    CHECK(content(storage) == ClaimOwner::this_process().line().view());
    Claim moved = *std::move(claim);
    CHECK(exists(storage));
    REQUIRE(moved.release());
    CHECK_FALSE(exists(storage));
    CHECK_FALSE(moved);
    REQUIRE(moved.release());
  }
  {
    const auto claim = Claim::acquire(storage, key, UnknownClaim::respect);
    REQUIRE(claim);
  }
  CHECK(object_count(storage) == 0);
}

TEST_CASE("a forked child that ends doesn't give up the claim of its parent") {
  const TemporaryFolder folder;
  const AnyStorage storage{loupe::LocalStorage(folder.path())};
  auto claim = Claim::acquire(storage, key, UnknownClaim::respect);
  REQUIRE(claim);
  ChildProcess child([&] {
    if (!claim->release()) throw std::runtime_error("not released");
  });
  CHECK(child.wait() == 0);
  CHECK(exists(storage));
}

TEST_CASE("the claim of a running process is respected, and the error names the process") {
  const AnyStorage storage{MemoryStorage()};
  const auto first = Claim::acquire(storage, key, UnknownClaim::respect);
  REQUIRE(first);
  for (const auto unknown : {UnknownClaim::respect, UnknownClaim::take_over}) {
    const auto second = Claim::acquire(storage, key, unknown);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::invalid_state);
    const std::string message(second.error().message());
    CHECK(message.find("process " + std::to_string(ClaimOwner::this_process().pid)) != std::string::npos);
  }
  CHECK(exists(storage));
}

TEST_CASE("the claim of a process that has ended is taken over") {
  const AnyStorage storage{MemoryStorage()};
  const ClaimOwner ended = ended_process();
  CHECK(ended.state() == ClaimOwner::State::gone);
  put(storage, ended.line());
  const auto claim = Claim::acquire(storage, key, UnknownClaim::respect);
  REQUIRE(claim);
  CHECK(content(storage) == ClaimOwner::this_process().line().view());
  CHECK(object_count(storage) == 1);
}

TEST_CASE("a later process with the number of the owner doesn't keep a claim alive") {
  const AnyStorage storage{MemoryStorage()};
  ClaimOwner owner = ClaimOwner::this_process();
  owner.start_time -= 1;
  CHECK(owner.state() == ClaimOwner::State::gone);
  put(storage, owner.line());
  CHECK(Claim::acquire(storage, key, UnknownClaim::respect));
}

TEST_CASE("a killed process that nobody has waited for has ended all the same") {
  ChildProcess child([] { ChildProcess::wait_to_be_killed(); });
  ClaimOwner owner = ClaimOwner::this_process();
  owner.pid = child.pid();
  owner.start_time = 0;
  CHECK(owner.state() == ClaimOwner::State::running);
  child.kill_and_leave();
  CHECK(owner.state() == ClaimOwner::State::gone);
}

TEST_CASE("a claim of smdebug's or of another host is respected or taken over as asked") {
  ClaimOwner foreign = ClaimOwner::this_process();
  foreign.host = "a-host-that-is-not-this-one";
  CHECK(foreign.state() == ClaimOwner::State::unknown);
  for (const std::string& line : {std::string(), std::string(foreign.line())}) {
    const AnyStorage storage{MemoryStorage()};
    put(storage, line);
    const auto refused = Claim::acquire(storage, key, UnknownClaim::respect);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::invalid_state);
    CHECK(content(storage) == line);
    CHECK(Claim::acquire(storage, key, UnknownClaim::take_over));
  }
}

#ifndef LOUPE_SEPARATE_COMPILATION  // the takeover's keys are known where the bodies are
TEST_CASE("a process that ended while it took a claim over is in nobody's way") {
  const AnyStorage storage{MemoryStorage()};
  const ClaimOwner ended = ended_process();
  put(storage, ended.line());
  // The claims that such processes leave on taking over, one on the other.
  loupe::Text guard = loupe::detail::takeover_key(key, ended.line());
  for (int depth = 0; depth < 3; ++depth) {
    const loupe::Text line = ended.line();
    REQUIRE(storage.put(guard, loupe::detail::as_bytes(line), PutMode::replace));
    guard = loupe::detail::takeover_key(guard, line);
  }
  CHECK(Claim::acquire(storage, key, UnknownClaim::respect));
  CHECK(object_count(storage) == 0);
}
#endif

TEST_CASE("smdebug's way: the first to claim has it, and others hold nothing") {
  const AnyStorage storage{MemoryStorage()};
  auto first = Claim::try_acquire_as_smdebug(storage, key);
  REQUIRE(first);
  CHECK(*first);
  CHECK(content(storage).empty());
  {
    const auto second = Claim::try_acquire_as_smdebug(storage, key);
    REQUIRE(second);
    CHECK_FALSE(*second);
  }
  CHECK(exists(storage));
  REQUIRE(first->release());
  CHECK_FALSE(exists(storage));
}

TEST_CASE("of many processes that find a stale claim at once, one gets it") {
  for (int round = 0; round < 20; ++round) {
    const TemporaryFolder folder;
    const AnyStorage storage{loupe::LocalStorage(folder.path())};
    put(storage, ended_process().line());
    int barrier[2];
    REQUIRE(::pipe(barrier) == 0);
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (int number = 0; number < 6; ++number) {
      children.push_back(std::make_unique<ChildProcess>([&](int output) {
        ::close(barrier[1]);
        char nothing = 0;
        (void)!::read(barrier[0], &nothing, 1);
        const auto claim = Claim::acquire(storage, key, UnknownClaim::respect);
        const char has_claim = claim ? 'y' : 'n';
        (void)!::write(output, &has_claim, 1);
        ChildProcess::wait_to_be_killed();
      }));
    }
    ::close(barrier[0]);
    ::close(barrier[1]);
    int winners = 0;
    for (const auto& child : children) {
      char has_claim = 0;
      REQUIRE(child->read(&has_claim, 1, 60000) == 1);
      winners += has_claim == 'y' ? 1 : 0;
    }
    CHECK(winners == 1);
  }
}

TEST_CASE("a directory or a link to nothing in the place of a claim is an error, not a wait without end") {
  const TemporaryFolder folder;
  const std::filesystem::path place = std::filesystem::path(folder.path()) / key;
  const AnyStorage storage{loupe::LocalStorage(folder.path())};
  std::filesystem::create_directory(place);
  CHECK_FALSE(Claim::acquire(storage, key, UnknownClaim::take_over));
  std::filesystem::remove(place);
  std::filesystem::create_symlink("nowhere", place);
  CHECK_FALSE(Claim::acquire(storage, key, UnknownClaim::take_over));
}
