#include "loupe/trial/catalog.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/storage/fault.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using loupe::Mode;
using loupe::ModeStep;
using loupe::Steps;
using Numbers = std::vector<std::int64_t>;

namespace {

/// A storage whose listings pass over one key so often as told: as a directory does that grows while it is read.
class Forgetful {
 public:
  using Staged = loupe::MemoryStorage::Staged;
  Forgetful(loupe::MemoryStorage storage, std::string key, int times) : storage_(std::move(storage)), key_(std::move(key)), times_(times) {}
  static constexpr loupe::Capabilities capabilities() noexcept { return loupe::MemoryStorage::capabilities(); }
  loupe::Text name() const { return "forgetful"; }
  loupe::result<void> list(std::string_view prefix, std::string_view start_after, loupe::ListSink sink) {
    const bool forgets = times_-- > 0;
    return storage_.list(prefix, start_after, [&](const loupe::ObjectInfo& object) { return (forgets && object.key == key_) || sink(object); });
  }
  loupe::result<loupe::ObjectInfo> stat(std::string_view key) { return storage_.stat(key); }
  loupe::result<void> read(std::string_view key, loupe::ByteRange range, loupe::ByteBuffer& out) { return storage_.read(key, range, out); }
  loupe::result<void> put(std::string_view key, std::span<const std::byte> bytes, loupe::PutMode mode) { return storage_.put(key, bytes, mode); }
  loupe::result<void> remove(std::string_view key) { return storage_.remove(key); }
  loupe::result<Staged> stage(std::string_view key) { return storage_.stage(key); }

 private:
  loupe::MemoryStorage storage_;
  std::string key_;
  int times_;
};

FakeRun memory_run() { return FakeRun(loupe::AnyStorage(loupe::MemoryStorage())); }

loupe::CatalogSettings settings_for(int workers, std::int64_t window = 1000) {
  loupe::CatalogSettings settings;
  settings.required_workers = static_cast<std::uint32_t>(workers);
  settings.incomplete_window = window;
  settings.last_worker = "worker_" + std::to_string(workers - 1);
  return settings;
}

Numbers all_steps(loupe::Catalog& catalog) { return catalog.snapshot()->steps(Mode::global, Steps::with_incomplete); }

}  // namespace

TEST_CASE("a range keeps steps from its begin to before its end") {
  CHECK(loupe::StepRange{}.contains(0));
  CHECK(loupe::StepRange{2, 5}.contains(2));
  CHECK_FALSE(loupe::StepRange{2, 5}.contains(5));
  CHECK_FALSE(loupe::StepRange{2, std::nullopt}.contains(1));
  CHECK(loupe::StepRange{2, std::nullopt}.contains(INT64_MAX));
  CHECK(loupe::StepRange{std::nullopt, 5}.contains(0));
}

TEST_CASE("a range must have limits that are not negative, the begin before the end") {
  CHECK((loupe::StepRange{2, 5}.validate()));
  CHECK_FALSE((loupe::StepRange{-1, 5}.validate()));
  CHECK_FALSE((loupe::StepRange{std::nullopt, -5}.validate()));
  CHECK_FALSE((loupe::StepRange{5, 5}.validate()));
  CHECK(loupe::StepRange{5, 2}.validate().error().kind == loupe::ErrorKind::invalid_argument);
}

TEST_CASE("each pass reads the files that are new, and earlier snapshots stay as they were") {
  FakeRun run = memory_run();
  run.save({0, 1});
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  const auto before = catalog.snapshot();
  run.save({2, 3});
  REQUIRE(catalog.read());
  CHECK(before->steps(Mode::global, Steps::complete) == Numbers{0, 1});
  CHECK(all_steps(catalog) == Numbers{0, 1, 2, 3});
  CHECK(catalog.snapshot()->entry_count() == 4);
}

TEST_CASE("a file that a listing missed while its directory grew is seen by the next pass, though later ones were read") {
  const loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  run.save({0, 1, 2, 3});
  loupe::Catalog catalog(loupe::AnyStorage(Forgetful(memory, "index/000000000/000000000002_worker_0.json", 1)), settings_for(1));
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{0, 1, 3});
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{0, 1, 2, 3});
}

TEST_CASE("a pass without news gives the same snapshot again") {
  FakeRun run = memory_run();
  run.save({0});
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  const auto first = catalog.snapshot();
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot() == first);
}

TEST_CASE("a file is read once: its later rewrite is not noticed") {
  FakeRun run = memory_run();
  run.save({0});
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  run.step(0).tensor("other", {1}).write();
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->tensor("other") == nullptr);
}

TEST_CASE("files of steps out of range are not read") {
  FakeRun run = memory_run();
  run.save({0, 1, 2, 3, 4, 5});
  loupe::CatalogSettings settings = settings_for(1);
  settings.range = {2, 5};
  loupe::Catalog catalog(run.storage(), settings);
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{2, 3, 4});
  run.save({6});
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{2, 3, 4});
}

TEST_CASE("the next pass begins to list at the last step that all workers wrote") {
  FakeRun run = memory_run();
  run.save({0, 1}, {"worker_0", "worker_1"});
  run.save({2}, {"worker_0"});
  loupe::Catalog catalog(run.storage(), settings_for(2));
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->last_complete_step() == 1);
  CHECK(catalog.snapshot()->token() == "index/000000000/000000000001_worker_1.json");
  run.save({2}, {"worker_1"});
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->token() == "index/000000000/000000000002_worker_1.json");
}

TEST_CASE("a slow worker's file of an older step is seen while that step is incomplete") {
  FakeRun run = memory_run();
  run.save({0, 1, 2}, {"worker_0"});
  loupe::Catalog catalog(run.storage(), settings_for(2));
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->last_complete_step() == -1);
  run.save({0, 1}, {"worker_1"});
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->steps(Mode::global, Steps::complete) == Numbers{0, 1});
}

TEST_CASE("of too many incomplete steps the older half is given up, at each pass") {
  FakeRun run = memory_run();
  for (std::int64_t step = 0; step < 20; ++step) run.save({step}, {"worker_0"});
  for (const bool as_smdebug : {false, true}) {
    loupe::CatalogSettings settings = settings_for(3, 10);
    settings.quirks.window_counts_from_zero = as_smdebug;
    loupe::Catalog catalog(run.storage(), settings);
    std::vector<std::int64_t> complete;
    for (int pass = 0; pass < 4; ++pass) {
      REQUIRE(catalog.read());
      complete.push_back(catalog.snapshot()->last_complete_step());
    }
    CHECK(complete == Numbers{4, 9, 9, 9});
  }
}

TEST_CASE("the window counts incomplete steps, however far apart they are") {
  FakeRun run = memory_run();
  for (std::int64_t step = 0; step < 20; ++step) run.save({500 * step}, {"worker_0"});
  loupe::Catalog catalog(run.storage(), settings_for(3, 10));
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->last_complete_step() == 2000);
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->last_complete_step() == 4500);
}

TEST_CASE("a file of the last step given up is still seen when it comes") {
  FakeRun run = memory_run();
  for (std::int64_t step = 0; step < 12; ++step) run.save({step}, {"worker_0"});
  loupe::Catalog catalog(run.storage(), settings_for(3, 10));
  REQUIRE(catalog.read());
  REQUIRE(catalog.snapshot()->last_complete_step() == 4);
  run.save({4}, {"worker_2"});
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->workers(4).size() == 2);
}

TEST_CASE("a damaged index file is passed over and reported with its offset, the others are read") {
  FakeRun run = memory_run();
  run.save({0, 1, 2});
  const loupe::Text key = loupe::format::index_key(1, "worker_0");
  run.put(key, R"({"meta": {"mode": "GLOBAL", "mode_)");
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{0, 2});
  REQUIRE(catalog.snapshot()->problems().size() == 1);
  const loupe::Error& problem = catalog.snapshot()->problems()[0];
  CHECK(problem.kind == loupe::ErrorKind::index_reader);
  CHECK(problem.object == key);
  CHECK(problem.offset > 0);
}

TEST_CASE("a damaged index file is read again when it has changed") {
  FakeRun run = memory_run();
  run.put(loupe::format::index_key(0, "worker_0"), "{");
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->problems().size() == 1);
  run.save({0});
  REQUIRE(catalog.read());
  CHECK(catalog.snapshot()->problems().empty());
  CHECK(all_steps(catalog) == Numbers{0});
}

TEST_CASE("a trial that imitates smdebug fails over a damaged index file and loses what it read with it") {
  FakeRun run = memory_run();
  run.save({0});
  run.put(loupe::format::index_key(1, "worker_0"), "");
  loupe::CatalogSettings settings = settings_for(1);
  settings.quirks.damaged_file_fails_refresh = true;
  loupe::Catalog catalog(run.storage(), settings);
  const auto outcome = catalog.read();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::index_reader);
  run.save({2});
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{2});
}

TEST_CASE("index files that say what can't be are reported, never believed") {
  const char* const documents[] = {
      "",
      "[]",
      "{}",
      R"({"meta": {}, "tensor_payload": []})",
      R"({"meta": {"mode": "GLOBAL", "mode_step": 0}})",
      R"({"meta": {"mode": "OTHER", "mode_step": 0}, "tensor_payload": []})",
      R"({"meta": {"mode": "EVAL", "mode_step": -1}, "shape_payload": [{"tensorname": "a", "originalname": "a", "shape": []}]})",
      R"({"meta": {"mode": "GLOBAL", "mode_step": 0}, "tensor_payload": [{"tensorname": "a", "start_idx": 0, "length": 5}]})",
      R"({"meta": {"mode": "GLOBAL", "mode_step": 0, "event_file_name": "../../etc/passwd"}, "tensor_payload": [{"tensorname": "a", "start_idx": 0, "length": 5}]})",
      R"({"meta": {"mode": "GLOBAL", "mode_step": 0, "event_file_name": "e"}, "tensor_payload": [{"tensorname": "a", "start_idx": 0, "length": 18446744073709551615}]})",
      R"({"meta": {"mode": "GLOBAL", "mode_step": 0, "event_file_name": "e"}, "tensor_payload": [{"tensorname": "a", "start_idx": 18446744073709551615, "length": 16}]})",
      R"({"meta": {"mode": "GLOBAL", "mode_step": 0}, "shape_payload": [{"tensorname": "a", "originalname": "a", "shape": [-1]}]})",
  };
  for (const char* document : documents) {
    FakeRun run = memory_run();
    run.put(loupe::format::index_key(0, "worker_0"), document);
    run.save({1});
    loupe::Catalog catalog(run.storage(), settings_for(1));
    REQUIRE(catalog.read());
    CAPTURE(document);
    CHECK(catalog.snapshot()->problems().size() == 1);
    CHECK(all_steps(catalog) == Numbers{1});
  }
}

TEST_CASE("files in the index that are none of its files are reported or passed over") {
  FakeRun run = memory_run();
  run.save({1});
  run.put("index/000000000/000000000002_worker_0.csv", "a, GLOBAL, 2, e, 0, 5");
  run.put("index/000000000/notes.txt", "hello");
  run.put("index/000000000/no_step.json", "{}");
  run.put("index/000000000/-00000000001_worker_0.json", "{}");
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{1});
  CHECK(catalog.snapshot()->problems().size() == 2);
}

TEST_CASE("a document without entries leaves its step unknown") {
  FakeRun run = memory_run();
  run.put(loupe::format::index_key(0, "worker_0"), R"({"meta": {"mode": "GLOBAL", "mode_step": 0}, "tensor_payload": [], "shape_payload": []})");
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog).empty());
  CHECK(catalog.snapshot()->problems().empty());
}

TEST_CASE("workers named after devices are un-escaped when their name begins with an underscore, and only then") {
  FakeRun run = memory_run();
  run.step(0, "_job-worker_replica-0_task-1_device-GPU-0").tensor("a", {1}).write();
  run.step(0, "my-host").tensor("a", {1}).write();
  run.step(0, "a__b").tensor("a", {1}).write();
  const auto workers = [&](bool as_smdebug) {
    loupe::CatalogSettings settings = settings_for(1);
    settings.quirks.double_underscore_unescapes = as_smdebug;
    loupe::Catalog catalog(run.storage(), settings);
    REQUIRE(catalog.read());
    const auto snapshot = catalog.snapshot();
    std::vector<std::string> names;
    for (const std::string_view name : snapshot->workers(0)) names.emplace_back(name);
    return names;
  };
  CHECK(workers(false) == std::vector<std::string>{"/job:worker/replica:0/task:1/device:GPU:0", "a__b", "my-host"});
  CHECK(workers(true) == std::vector<std::string>{"/job:worker/replica:0/task:1/device:GPU:0", "a//b", "my-host"});
}

TEST_CASE("workers that disagree on a step: the first file is believed, or as in smdebug the tensor met first") {
  FakeRun run = memory_run();
  run.step(0, Mode::train, 0).tensor("c", {1}).write();
  run.step(1, Mode::train, 1).tensor("a", {1}).write();
  run.step(2, Mode::train, 1).tensor("c", {1}).write();
  const auto first = [&](bool as_smdebug) {
    loupe::CatalogSettings settings = settings_for(1);
    settings.quirks.claims_by_tensor = as_smdebug;
    loupe::Catalog catalog(run.storage(), settings);
    REQUIRE(catalog.read());
    return catalog.snapshot()->global_step(ModeStep(Mode::train, 1));
  };
  CHECK(first(false) == 1);
  CHECK(first(true) == 2);
}

TEST_CASE("steps on both sides of an index folder's thousand, and large ones, come in order") {
  FakeRun run = memory_run();
  run.save({999'999'999'999, 1999, 0, 123456789, 1000, 999});
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  CHECK(all_steps(catalog) == Numbers{0, 999, 1000, 1999, 123456789, 999'999'999'999});
  CHECK(catalog.snapshot()->token() == "index/999999999/999999999999_worker_0.json");
}

TEST_CASE("a listing that fails is the pass's error, a file that can't be read is tried again in the next one") {
  loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  run.save({0, 1, 2});
  for (std::uint64_t n = 1; n <= 4; ++n) {
    loupe::Catalog catalog(loupe::AnyStorage(loupe::FaultStorage(memory, loupe::FaultPlan::fail_nth(n))), settings_for(1));
    const auto first = catalog.read();
    CHECK(first.has_value() == (n != 1));
    if (n > 1) CHECK(catalog.snapshot()->problems().size() == 1);
    REQUIRE(catalog.read());
    CHECK(all_steps(catalog) == Numbers{0, 1, 2});
    CHECK(catalog.snapshot()->problems().empty());
  }
}

TEST_CASE("entries have at most 24 bytes and blocks share their chunks across snapshots") {
  FakeRun run = memory_run();
  for (std::int64_t step = 0; step < 300; ++step) run.save({step});
  loupe::Catalog catalog(run.storage(), settings_for(1));
  REQUIRE(catalog.read());
  const auto before = catalog.snapshot();
  run.save({300});
  REQUIRE(catalog.read());
  const auto after = catalog.snapshot();
  const auto* a = before->tensor("a")->tensor;
  const auto place = [&](const loupe::Snapshot& snapshot) {
    return snapshot.locate(a, ModeStep(Mode::global, 0), {}).value()->blocks.data();
  };
  CHECK(place(*before) == place(*after));
}
