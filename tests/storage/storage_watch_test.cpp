#include "loupe/storage/storage_watch.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "loupe/base/manual_clock.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/storage/fault.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/storage/memory.hpp"
#include "storage/archetype.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace files = std::filesystem;
using loupe::AnyStorage;
using loupe::Interrupt;
using loupe::LocalStorage;
using loupe::ManualClock;
using loupe::MemoryStorage;
using loupe::StorageWatch;
using loupe::WatchOutcome;

namespace {

/// Watches the objects below some prefixes, and says what a wait that takes no time finds.
template <class Storage>
class Observer {
 public:
  Observer(Storage& storage, std::initializer_list<std::string_view> prefixes)
      : watch_(storage.watch(std::span(std::data(prefixes), prefixes.size()))) {}
  /// Whether something has changed since the last such question; two answers may come from one change.
  bool sees_change() {
    bool is_changed = false;
    while (wait() == WatchOutcome::changed) is_changed = true;
    return is_changed;
  }
  WatchOutcome wait() { return watch_.wait_until(clock, clock.monotonic_ns() + 1, nullptr); }

  ManualClock clock;

 private:
  StorageWatch watch_;
};

template <class Storage>
void put(Storage& storage, std::string_view key) {
  REQUIRE(storage.put(key, {}, loupe::PutMode::replace));
}

}  // namespace

TEST_CASE("a watch that notices nothing waits until its deadline or an interrupt") {
  StorageWatch watch;
  CHECK_FALSE(watch.notices_changes());
  const ManualClock clock(100);
  CHECK(watch.wait_until(clock, 200, nullptr) == WatchOutcome::deadline);
  CHECK(clock.monotonic_ns() == 200);
  Interrupt interrupt;
  clock.on_wait([&] { interrupt.request(); });
  CHECK(watch.wait_until(clock, 300, &interrupt) == WatchOutcome::interrupted);
  CHECK(clock.monotonic_ns() == 200);
}

/// What any storage that can be watched must notice. `storage` is empty.
template <class Storage>
void notices_changes(Storage storage) {
  put(storage, "index/0/a");
  put(storage, "events/a");
  Observer<Storage> observer(storage, {"index/", "end"});
  CHECK_FALSE(observer.sees_change());

  put(storage, "index/0/b");
  CHECK(observer.sees_change());
  CHECK_FALSE(observer.sees_change());
  put(storage, "index/0/b");
  CHECK(observer.sees_change());
  REQUIRE(storage.put("index/0/c", {}, loupe::PutMode::if_absent));
  CHECK(observer.sees_change());
  put(storage, "index/1/a");
  CHECK(observer.sees_change());
  put(storage, "end_marker");
  CHECK(observer.sees_change());
  REQUIRE(storage.remove("index/0/a"));
  CHECK(observer.sees_change());
  {
    auto staged = storage.stage("index/0/d");
    REQUIRE(staged);
    REQUIRE(staged->append(std::as_bytes(std::span("bytes"))));
    CHECK_FALSE(observer.sees_change());
    REQUIRE(staged->commit());
    CHECK(observer.sees_change());
    REQUIRE(storage.stage("index/0/e"));
  }
  REQUIRE(storage.remove("index/0/a"));
  put(storage, "events/b");
  put(storage, "begin");
  REQUIRE_FALSE(storage.put("index/0/c", {}, loupe::PutMode::if_absent));
  CHECK_FALSE(observer.sees_change());
}

/// A wait without an end, ended by another thread.
template <class Storage>
void wakes_up(Storage storage) {
  const std::string_view prefix = "index/";
  StorageWatch watch = storage.watch({&prefix, 1});
  const loupe::SystemClock clock;
  Interrupt interrupt;
  std::thread writer([storage]() mutable { (void)storage.put("index/0/a", {}, loupe::PutMode::replace); });
  CHECK(watch.wait_until(clock, INT64_MAX, &interrupt) == WatchOutcome::changed);
  writer.join();
  while (watch.wait_until(clock, clock.monotonic_ns(), nullptr) == WatchOutcome::changed) {
  }
  std::thread interrupting([&] { interrupt.request(); });
  CHECK(watch.wait_until(clock, INT64_MAX, &interrupt) == WatchOutcome::interrupted);
  interrupting.join();
}

TEST_CASE("objects that are published, replaced or removed are noticed, others not") {
  const TemporaryFolder folder;
  SECTION("local") { notices_changes(LocalStorage(folder.path())); }
  SECTION("memory") { notices_changes(MemoryStorage()); }
  SECTION("any") { notices_changes(AnyStorage(LocalStorage(folder.path()))); }
  SECTION("fault") { notices_changes(loupe::FaultStorage(MemoryStorage(), loupe::FaultPlan())); }
}

TEST_CASE("a change that another thread makes, or an interrupt, ends a wait that would last forever") {
  const TemporaryFolder folder;
  SECTION("local") { wakes_up(LocalStorage(folder.path())); }
  SECTION("memory") { wakes_up(MemoryStorage()); }
  SECTION("any") { wakes_up(AnyStorage(MemoryStorage())); }
}

TEST_CASE("a storage that can't be watched has a watch that notices nothing") {
  CHECK_FALSE(AnyStorage(SmallestStorage()).watch({}).notices_changes());
}

TEST_CASE("a watch outlives its storage") {
  StorageWatch watch = MemoryStorage().watch({});
  const ManualClock clock(100);
  CHECK(watch.wait_until(clock, 200, nullptr) == WatchOutcome::deadline);
}

TEST_CASE("without a descriptor for it, local files are not noticed") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const StorageWatch watch = LocalStorage(".").watch({});
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK_FALSE(watch.notices_changes());
}

TEST_CASE("files in directories that come later are noticed, the trial's own folder included") {
  const TemporaryFolder folder;
  for (const std::string& root : {folder.path() + "/runs/1", folder.path() + "//runs/./2/"}) {
    LocalStorage storage{std::string_view(root)};
    Observer<LocalStorage> observer(storage, {"index/"});
    CHECK_FALSE(observer.sees_change());
    for (const std::string_view key :
         {"index/0/a", "index/0/b", "index/1/a", "index/1/b", "index/2/deep/er/a", "index/2/deep/er/b"}) {
      put(storage, key);
      CHECK(observer.sees_change());
    }
    CHECK_FALSE(observer.sees_change());
    put(storage, "events/0/a");
    CHECK_FALSE(observer.sees_change());
  }
}

TEST_CASE("a folder that is removed or moved away and made anew is noticed, and watched again") {
  const TemporaryFolder folder;
  const files::path root = files::path(folder.path()) / "run";
  LocalStorage storage{std::string_view(root.string())};
  put(storage, "index/a");
  Observer<LocalStorage> observer(storage, {"index/"});
  SECTION("removed") { files::remove_all(root); }
  SECTION("moved") { files::rename(root / "index", root / "old"); }
  CHECK(observer.sees_change());
  put(storage, "index/a");
  CHECK(observer.sees_change());
  CHECK_FALSE(observer.sees_change());
  put(storage, "index/b");
  CHECK(observer.sees_change());
}

TEST_CASE("a relative folder and prefixes that no key has are watched without harm") {
  const TemporaryFolder folder;
  const files::path before = files::current_path();
  files::current_path(folder.path());
  {
    LocalStorage storage("run");
    Observer<LocalStorage> observer(storage, {"index/", "../", "/", "a//b", "."});
    std::ofstream("other").flush();
    CHECK_FALSE(observer.sees_change());
    put(storage, "index/a");
    CHECK(observer.sees_change());
    LocalStorage here(".");
    Observer<LocalStorage> all(here, {""});
    put(storage, "index/b");
    CHECK(all.sees_change());
  }
  files::current_path(before);
}

TEST_CASE("more changes than the system keeps count as a change") {
  const TemporaryFolder folder;
  LocalStorage storage(folder.path());
  put(storage, "a");
  Observer<LocalStorage> observer(storage, {""});
  const files::path file = files::path(folder.path()) / "x.tmp";
  const files::path other = files::path(folder.path()) / "y.tmp";
  std::ofstream(file).flush();
  for (int i = 0; i < 20000; ++i) files::rename(i % 2 == 0 ? file : other, i % 2 == 0 ? other : file);
  CHECK(observer.sees_change());
  CHECK_FALSE(observer.sees_change());
  put(storage, "b");
  CHECK(observer.sees_change());
}

TEST_CASE("a change during the wait ends it, and time does not reach the deadline") {
  const TemporaryFolder folder;
  LocalStorage storage(folder.path());
  Observer<LocalStorage> observer(storage, {"index/"});
  int waits = 0;
  observer.clock.on_wait([&] {
    if (++waits == 1) put(storage, "events/a");
    if (waits == 3) put(storage, "index/a");
  });
  CHECK(observer.wait() == WatchOutcome::deadline);
  const std::int64_t before = observer.clock.monotonic_ns();
  waits = 2;
  CHECK(observer.wait() == WatchOutcome::changed);
  CHECK(observer.clock.monotonic_ns() == before);
}
