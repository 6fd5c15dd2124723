#include "loupe/trial/event_files.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/storage/fault.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/catalog.hpp"
#include "loupe/wire/tfrecord.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using loupe::Mode;
using loupe::ModeStep;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// A storage that can't map, over one that can.
class Unmappable {
 public:
  using Staged = loupe::MemoryStorage::Staged;
  explicit Unmappable(loupe::MemoryStorage memory) : memory_(std::move(memory)) {}
  [[nodiscard]] loupe::Capabilities capabilities() const noexcept { return {}; }
  [[nodiscard]] loupe::Text name() const { return "unmappable"; }
  loupe::result<void> list(std::string_view prefix, std::string_view after, loupe::ListSink sink) { return memory_.list(prefix, after, sink); }
  loupe::result<loupe::ObjectInfo> stat(std::string_view key) { return memory_.stat(key); }
  loupe::result<void> read(std::string_view key, loupe::ByteRange range, loupe::ByteBuffer& out) { return memory_.read(key, range, out); }
  loupe::result<void> put(std::string_view key, std::span<const std::byte> bytes, loupe::PutMode mode) { return memory_.put(key, bytes, mode); }
  loupe::result<void> remove(std::string_view key) { return memory_.remove(key); }
  loupe::result<Staged> stage(std::string_view key) { return memory_.stage(key); }

 private:
  loupe::MemoryStorage memory_;
};

/// The event files of a run in memory.
struct Reading {
  loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  loupe::ManualClock clock;

  loupe::EventFiles::Settings settings(std::int64_t patience = 0, bool constant_only = false) const {
    return {{std::make_shared<const loupe::AnyClock>(clock), nullptr, second / 2, 0}, patience, 2, constant_only};
  }
  /// Reads the value of a tensor at a step.
  loupe::result<loupe::EventPayload> read(loupe::EventFiles& files, std::string_view tensor, std::int64_t step) const {
    loupe::Catalog catalog(run.storage(), {});
    REQUIRE(catalog.read());
    const auto snapshot = catalog.snapshot();
    const auto place = snapshot->locate(snapshot->tensor(tensor)->tensor, ModeStep(Mode::global, step), {});
    REQUIRE((place && *place));
    const auto found = (*place)->find(loupe::value_part);
    REQUIRE(found);
    return files.payload(*found.block, *found.entry);
  }
  loupe::result<loupe::EventPayload> read(std::string_view tensor, std::int64_t step, std::int64_t patience = 0, bool constant_only = false) const {
    loupe::EventFiles files(loupe::AnyStorage(memory), settings(patience, constant_only));
    return read(files, tensor, step);
  }
  /// The bytes of the event file of a step.
  std::string events(std::int64_t step) const {
    loupe::ByteBuffer bytes;
    REQUIRE(memory.read(loupe::format::event_key(step, "worker_0"), {}, bytes));
    return std::string(std::as_const(bytes).text());
  }
  void replace_events(std::int64_t step, std::string_view bytes) { run.put(loupe::format::event_key(step, "worker_0"), bytes); }
};

}  // namespace

TEST_CASE("a record's payload is the same whether its file is mapped or read") {
  Reading at;
  at.run.step(3).tensor("a", {1, 2}).tensor("b", {3}).write();
  const auto mapped = at.read("b", 3);
  REQUIRE(mapped);
  loupe::EventFiles files(loupe::AnyStorage(Unmappable(at.memory)), at.settings());
  const auto read = at.read(files, "b", 3);
  REQUIRE(read);
  CHECK(std::equal(mapped->bytes.begin(), mapped->bytes.end(), read->bytes.begin(), read->bytes.end()));
  CHECK(mapped->offset == read->offset);
  CHECK(mapped->file == loupe::format::event_key(3, "worker_0"));
}

TEST_CASE("a payload outlives the mapping's place among the last files used") {
  Reading at;
  for (std::int64_t step = 0; step < 5; ++step) at.run.step(step).tensor("a", {static_cast<float>(step)}).write();
  loupe::EventFiles files(loupe::AnyStorage(at.memory), at.settings());
  const auto first = at.read(files, "a", 0);
  REQUIRE(first);
  const std::vector<std::byte> copy(first->bytes.begin(), first->bytes.end());
  for (std::int64_t step = 1; step < 5; ++step) REQUIRE(at.read(files, "a", step));
  CHECK(std::equal(copy.begin(), copy.end(), first->bytes.begin(), first->bytes.end()));
}

TEST_CASE("a file that is cut off, or a record that is not as the index says, is damage with file and offset") {
  Reading at;
  at.run.step(0).tensor("a", {1, 2}).tensor("b", {3}).write();
  const std::string whole = at.events(0);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, whole.size() - 1}) {
    at.replace_events(0, whole.substr(0, size));
    const auto outcome = at.read("b", 0);
    CAPTURE(size);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind == loupe::ErrorKind::corrupt);
    CHECK(outcome.error().object == loupe::format::event_key(0, "worker_0"));
    CHECK(outcome.error().offset >= 0);
  }
  std::string flipped = whole;
  flipped[8] ^= 1;
  at.replace_events(0, flipped);
  CHECK(at.read("a", 0).error().kind == loupe::ErrorKind::corrupt);
  CHECK(at.read("b", 0));
  at.replace_events(0, "x" + whole);
  CHECK(at.read("a", 0).error().kind == loupe::ErrorKind::corrupt);
}

TEST_CASE("an index that names bytes far behind the file's end is refused without reading or allocating them") {
  Reading at;
  at.run.step(0).tensor("a", {1}).entry("b", std::uint64_t{1} << 62, std::uint64_t{1} << 40).entry("c", 0, 5).write();
  CHECK(at.read("b", 0).error().kind == loupe::ErrorKind::corrupt);
  CHECK(at.read("c", 0).error().kind == loupe::ErrorKind::corrupt);
  loupe::EventFiles files(loupe::AnyStorage(Unmappable(at.memory)), at.settings());
  CHECK(at.read(files, "b", 0).error().kind == loupe::ErrorKind::corrupt);
}

TEST_CASE("a payload with its true checksum is read, unless only smdebug's constant is allowed") {
  Reading at;
  at.run.step(0).tensor("a", {1, 2}).write();
  std::string bytes = at.events(0);
  const auto payload = std::as_bytes(std::span(bytes)).subspan(12, bytes.size() - 16);
  const std::uint32_t word = loupe::wire::payload_check_word(payload, loupe::wire::PayloadCheck::crc32c);
  std::memcpy(bytes.data() + bytes.size() - 4, &word, 4);
  at.replace_events(0, bytes);
  CHECK(at.read("a", 0));
  const auto strict = at.read("a", 0, 0, true);
  REQUIRE_FALSE(strict);
  CHECK(strict.error().kind == loupe::ErrorKind::invalid_state);
}

TEST_CASE("a missing event file is waited for while the run goes on") {
  Reading at;
  auto step = at.run.step(0);
  step.tensor("a", {1}).write_index();
  int waits = 0;
  at.clock.on_wait([&] {
    if (++waits == 3) step.write_events();
  });
  CHECK(at.read("a", 0, 10 * second));
  CHECK(waits == 3);
}

TEST_CASE("a missing event file is given up at the deadline") {
  Reading at;
  at.run.step(0).tensor("a", {1}).write_index();
  const std::int64_t begin = at.clock.monotonic_ns();
  const auto outcome = at.read("a", 0, 10 * second);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::not_found);
  CHECK(at.clock.monotonic_ns() == begin + 10 * second);
}

TEST_CASE("a missing event file is given up at once when the run has ended") {
  Reading at;
  at.run.step(0).tensor("a", {1}).write_index().end();
  CHECK(at.read("a", 0, 10 * second).error().kind == loupe::ErrorKind::not_found);
  CHECK(at.clock.waits() == 0);
}

TEST_CASE("a missing event file is given up at once when the same worker has written a later one") {
  Reading at;
  at.run.step(0).tensor("a", {1}).write_index();
  at.run.step(1, "worker_1").tensor("a", {1}).write();
  CHECK(at.read("a", 0, second).error().kind == loupe::ErrorKind::not_found);
  CHECK(at.clock.waits() > 0);
  const int waits = at.clock.waits();
  at.run.step(2, "worker_0").tensor("a", {1}).write();
  CHECK(at.read("a", 0, second).error().kind == loupe::ErrorKind::not_found);
  CHECK(at.clock.waits() == waits);
}

TEST_CASE("a storage that fails is no missing file") {
  Reading at;
  at.run.step(0).tensor("a", {1}).write();
  loupe::EventFiles files(loupe::AnyStorage(loupe::FaultStorage(at.memory, loupe::FaultPlan::fail_nth(1))), at.settings(10 * second));
  const auto outcome = at.read(files, "a", 0);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::io);
  CHECK(at.clock.waits() == 0);
  CHECK(at.read(files, "a", 0));
}
