#include "loupe/trial/trial_collections.hpp"

#include <string>
#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::string_view two_collections =
    R"("weights": {"name": "weights", "include_regex": ["^(?!gradient).*weight"], "tensor_names": ["extra"]}, )"
    R"("odd": {"name": "odd", "include_regex": ["(broken", "good$"], "tensor_names": []})";

struct Opening {
  loupe::result<loupe::TrialCollections> load(std::int64_t patience = 60 * second, bool strict = false) const {
    const loupe::WaitSettings wait{std::make_shared<const loupe::AnyClock>(clock), nullptr, second, 0};
    return loupe::TrialCollections::load(run.storage(), wait, clock.monotonic_ns() + patience, nullptr, strict);
  }
  FakeRun run{loupe::AnyStorage(loupe::MemoryStorage())};
  loupe::ManualClock clock;
};

std::vector<std::string> names(const std::vector<loupe::Text>& texts) {
  std::vector<std::string> found;
  for (const auto& text : texts) found.emplace_back(text.view());
  return found;
}

}  // namespace

TEST_CASE("collections, the number of workers and their names come from the collections files") {
  Opening at;
  at.run.collections("worker_1", 2, two_collections).collections("worker_0", 2, two_collections);
  const auto loaded = at.load();
  REQUIRE(loaded);
  CHECK(loaded->all().size() == 2);
  CHECK(loaded->num_workers() == 2);
  CHECK(names(loaded->workers()) == std::vector<std::string>{"worker_0", "worker_1"});
}

TEST_CASE("a tensor belongs to a collection by its name or by a pattern found in it") {
  Opening at;
  at.run.collections("worker_0", 1, two_collections);
  const auto loaded = at.load();
  REQUIRE(loaded);
  CHECK(loaded->contains("weights", "net.fc.weight"));
  CHECK_FALSE(loaded->contains("weights", "gradient/net.fc.weight"));
  CHECK(loaded->contains("weights", "extra"));
  CHECK_FALSE(loaded->contains("weights", "bias"));
  CHECK_FALSE(loaded->contains("nothing", "extra"));
}

TEST_CASE("a pattern that no engine takes is reported and selects nothing, the collection's others do") {
  Opening at;
  at.run.collections("worker_0", 1, two_collections);
  const auto loaded = at.load();
  REQUIRE(loaded);
  CHECK(loaded->contains("odd", "so good"));
  CHECK_FALSE(loaded->contains("odd", "(broken"));
  REQUIRE(loaded->problems().size() == 1);
  CHECK(loaded->problems()[0].message().view().find("(broken") != std::string_view::npos);
}

TEST_CASE("opening waits for the first collections file, then for those of all workers") {
  Opening at;
  int waits = 0;
  at.clock.on_wait([&] { at.run.collections("worker_" + std::to_string(waits++), 3); });
  const auto loaded = at.load();
  REQUIRE(loaded);
  CHECK(waits == 3);
  CHECK(loaded->workers().size() == 3);
}

TEST_CASE("a run that has ended without all its collections files can't be opened, and that takes no time") {
  Opening none;
  none.run.end();
  CHECK(none.load().error().kind == loupe::ErrorKind::missing_collection_files);
  Opening one_of_two;
  one_of_two.run.collections("worker_0", 2).end();
  CHECK(one_of_two.load().error().kind == loupe::ErrorKind::missing_collection_files);
  CHECK(one_of_two.clock.waits() == 0);
}

TEST_CASE("opening gives up at its deadline") {
  Opening at;
  const std::int64_t begin = at.clock.monotonic_ns();
  const auto loaded = at.load(10 * second);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().kind == loupe::ErrorKind::timeout);
  CHECK(at.clock.monotonic_ns() == begin + 10 * second);
}

TEST_CASE("a damaged collections file is reported and the next one taken, or fails where smdebug is imitated") {
  Opening at;
  at.run.put("collections/000000000/worker_0_collections.json", R"({"collections": {)").collections("worker_1", 2, two_collections);
  const auto loaded = at.load();
  REQUIRE(loaded);
  CHECK(loaded->all().size() == 2);
  CHECK(loaded->workers().size() == 2);
  REQUIRE(loaded->problems().size() == 2);
  CHECK(loaded->problems()[0].object == "collections/000000000/worker_0_collections.json");
  CHECK(loaded->problems()[0].offset >= 0);
  CHECK_FALSE(at.load(second, true));
}

TEST_CASE("with all collections files damaged there are no collections, and as many workers as files") {
  Opening at;
  at.run.put("collections/000000000/worker_0_collections.json", "x").put("collections/000000000/worker_1_collections.json", "");
  const auto loaded = at.load();
  REQUIRE(loaded);
  CHECK(loaded->all().empty());
  CHECK(loaded->num_workers() == 2);
  CHECK(loaded->problems().size() == 2);
}

TEST_CASE("other files among the collections are passed over") {
  Opening at;
  at.run.collections("_job-worker_device-GPU-0", 1).put("collections/000000000/notes.txt", "x");
  const auto loaded = at.load();
  REQUIRE(loaded);
  CHECK(names(loaded->workers()) == std::vector<std::string>{"/job:worker/device:GPU:0"});
}
