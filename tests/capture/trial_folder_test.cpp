#include "loupe/capture/trial_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/format/index.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/storage/fault.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using loupe::AnyStorage;
using loupe::ByteBuffer;
using loupe::ClaimOwner;
using loupe::ClaimPolicy;
using loupe::EndMarkerPolicy;
using loupe::ErrorKind;
using loupe::LocalStorage;
using loupe::MemoryStorage;
using loupe::Mode;
using loupe::mode_index;
using loupe::PutMode;
using loupe::ResumePolicy;
using loupe::TrialFolder;
using loupe::TrialFolderOptions;
using Keys = std::vector<std::string>;
namespace format = loupe::format;

namespace {

void put(const AnyStorage& storage, std::string_view key, std::string_view content = {}) {
  REQUIRE(storage.put(key, {reinterpret_cast<const std::byte*>(content.data()), content.size()}, PutMode::replace));
}

/// A saved step as a worker leaves it.
void put_step(const AnyStorage& storage, std::int64_t step, Mode mode, std::int64_t mode_step,
              std::string_view worker = "worker_0") {
  const auto event_key = format::event_key(step, worker);
  put(storage, event_key, "records");
  ByteBuffer document;
  format::IndexWriter index(document, mode, mode_step, event_key);
  index.tensor("w", 0, 7);
  index.finish();
  put(storage, format::index_key(step, worker), document.text());
}

Keys keys(const AnyStorage& storage) {
  Keys found;
  REQUIRE(storage.list("", {}, [&](const auto& object) { return found.emplace_back(object.key), true; }));
  return found;
}

TrialFolderOptions options(ResumePolicy resume = ResumePolicy::refuse) {
  TrialFolderOptions chosen;
  chosen.worker = "worker_0";
  chosen.resume = resume;
  return chosen;
}

TrialFolderOptions of_worker(int rank, std::int64_t world_size, ResumePolicy resume = ResumePolicy::refuse) {
  TrialFolderOptions chosen = options(resume);
  chosen.worker = loupe::Text::join("worker_", loupe::to_text(rank).view());
  chosen.world_size = world_size;
  chosen.claims = false;
  return chosen;
}

TrialFolder opened(const AnyStorage& storage, TrialFolderOptions chosen) {
  auto folder = TrialFolder::open(storage, std::move(chosen));
  REQUIRE(folder);
  return *std::move(folder);
}

/// A folder with a finished trial of two modes, and things that are not the trial's.
AnyStorage finished_trial() {
  AnyStorage storage{MemoryStorage()};
  put_step(storage, 0, Mode::train, 0);
  put_step(storage, 500, Mode::train, 400);
  put_step(storage, 520, Mode::eval, 19);
  put_step(storage, 900, Mode::train, 800);
  put(storage, format::collections_key("worker_0"), "{}");
  put(storage, "tensorboard/TRAIN/000000000000_17_host.tfevents", "summaries");
  put(storage, format::end_marker_key);
  put(storage, "checkpoints/model.pt", "weights");
  put(storage, "events/notes.txt", "mine");
  put(storage, "claims.txt", "mine");
  return storage;
}

const Keys not_the_trials{"checkpoints/model.pt", "claims.txt", "events/notes.txt"};

}  // namespace

TEST_CASE("a new folder is claimed while it is open, and closing marks the end") {
  const AnyStorage storage{MemoryStorage()};
  TrialFolder folder = opened(storage, options());
  CHECK(folder.may_write());
  CHECK(folder.counters() == loupe::Counters{});
  CHECK(keys(storage) == Keys{"claim.smd"});
  REQUIRE(folder.close());
  CHECK(keys(storage) == Keys{"training_job_end.ts"});
  REQUIRE(storage.remove(format::end_marker_key));
  REQUIRE(folder.close());
  CHECK(keys(storage).empty());
}

TEST_CASE("a folder that is not closed gives up its claim and leaves the trial unfinished") {
  const AnyStorage storage{MemoryStorage()};
  {
    const TrialFolder folder = opened(storage, options());
  }
  CHECK(keys(storage).empty());
}

TEST_CASE("by default a finished trial is refused and stays as it is") {
  const AnyStorage storage = finished_trial();
  const Keys before = keys(storage);
  const auto refused = TrialFolder::open(storage, options());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::invalid_state);
  CHECK(std::string(refused.error().message()).find("resume") != std::string::npos);
  CHECK(keys(storage) == before);
}

TEST_CASE("by default what a killed run has left is added to, and steps count from 0") {
  const AnyStorage storage = finished_trial();
  REQUIRE(storage.remove(format::end_marker_key));
  const Keys before = keys(storage);
  {
    const TrialFolder folder = opened(storage, options());
    CHECK(folder.counters() == loupe::Counters{});
    CHECK(folder.joins_unfinished_run());
  }
  CHECK(keys(storage) == before);
}

TEST_CASE("resuming takes the end marker away and counts on from the largest step on disk, mode by mode") {
  const AnyStorage storage = finished_trial();
  put_step(storage, 2000, Mode::train, 1999, "worker_1");
  const TrialFolder folder = opened(storage, options(ResumePolicy::resume));
  CHECK_FALSE(storage.stat(format::end_marker_key));
  const loupe::Counters& counters = folder.counters();
  CHECK(counters.restored);
  CHECK(counters.global == 900);
  CHECK(counters.last_saved == 900);
  CHECK(counters.modes[mode_index(Mode::train)] == 800);
  CHECK(counters.modes[mode_index(Mode::eval)] == 19);
  CHECK(counters.modes[mode_index(Mode::predict)] == -1);
  CHECK(counters.modes[mode_index(Mode::global)] == 900);
}

TEST_CASE("resuming an empty folder is starting in it") {
  const TrialFolder folder = opened(AnyStorage{MemoryStorage()}, options(ResumePolicy::resume));
  CHECK(folder.counters() == loupe::Counters{});
}

TEST_CASE("a damaged index file doesn't keep a run from resuming behind it") {
  const AnyStorage storage = finished_trial();
  put(storage, format::index_key(1200, "worker_0"), "{\"meta\": {");
  put(storage, "index/000000000/readme.txt", "not an index file");
  const TrialFolder folder = opened(storage, options(ResumePolicy::resume));
  CHECK(folder.counters().global == 1200);
  CHECK(folder.counters().modes[mode_index(Mode::train)] == 800);
}

TEST_CASE("overwriting removes the trial and nothing else") {
  const AnyStorage storage = finished_trial();
  TrialFolder folder = opened(storage, options(ResumePolicy::overwrite));
  CHECK(folder.counters() == loupe::Counters{});
  REQUIRE(storage.remove(format::claim_key));
  CHECK(keys(storage) == not_the_trials);
}

TEST_CASE("one of several workers that overwrites removes its own files and those of ranks that are no more") {
  const AnyStorage storage{MemoryStorage()};
  for (const std::string_view worker : {"worker_0", "worker_1", "worker_2", "worker_31", "worker_x"}) {
    put_step(storage, 5, Mode::global, 5, worker);
    put(storage, format::collections_key(worker), "{}");
  }
  const TrialFolder folder = opened(storage, of_worker(1, 2, ResumePolicy::overwrite));
  CHECK(keys(storage) ==
        Keys{"collections/000000000/worker_0_collections.json", "collections/000000000/worker_x_collections.json",
             "events/000000000005/000000000005_worker_0.tfevents", "events/000000000005/000000000005_worker_x.tfevents",
             "index/000000000/000000000005_worker_0.json", "index/000000000/000000000005_worker_x.json"});
}

TEST_CASE("the claim of a running process keeps another hook out under every resume policy") {
  const AnyStorage storage{MemoryStorage()};
  const TrialFolder first = opened(storage, options());
  for (const auto resume : {ResumePolicy::refuse, ResumePolicy::resume, ResumePolicy::overwrite}) {
    const auto second = TrialFolder::open(storage, options(resume));
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::invalid_state);
  }
  CHECK(keys(storage) == Keys{"claim.smd"});
}

TEST_CASE("a claim of smdebug's is an error, and taken over by one who says what to do with the folder") {
  const AnyStorage storage{MemoryStorage()};
  put(storage, format::claim_key);
  CHECK_FALSE(TrialFolder::open(storage, options()));
  CHECK(TrialFolder::open(storage, options(ResumePolicy::resume)));
  put(storage, format::claim_key);
  CHECK(TrialFolder::open(storage, options(ResumePolicy::overwrite)));
}

TEST_CASE("workers of a job that knows them don't claim, nor does a storage that no other process of the host sees") {
  const AnyStorage storage{MemoryStorage()};
  put(storage, format::claim_key);
  TrialFolder folder = opened(storage, of_worker(0, 1));
  CHECK(folder.may_write());
  REQUIRE(folder.close());
  CHECK(storage.stat(format::claim_key));
}

TEST_CASE("the end marker of several workers stands when the last of them has closed, in any order") {
  for (const auto& order : {std::vector<int>{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}) {
    const AnyStorage storage{MemoryStorage()};
    std::vector<TrialFolder> folders;
    for (int rank = 0; rank < 3; ++rank) folders.push_back(opened(storage, of_worker(rank, 3)));
    for (const int rank : order) {
      CHECK_FALSE(storage.stat(format::end_marker_key));
      REQUIRE(folders[static_cast<std::size_t>(rank)].close());
    }
    CHECK(storage.stat(format::end_marker_key));
  }
}

TEST_CASE("a worker that starts again counts as open again") {
  const AnyStorage storage{MemoryStorage()};
  TrialFolder first = opened(storage, of_worker(0, 2));
  TrialFolder second = opened(storage, of_worker(1, 2));
  REQUIRE(second.close());
  second = opened(storage, of_worker(1, 2));
  REQUIRE(first.close());
  CHECK_FALSE(storage.stat(format::end_marker_key));
  REQUIRE(second.close());
  CHECK(storage.stat(format::end_marker_key));
}

TEST_CASE("a worker that saves nothing leaves the folder alone") {
  const AnyStorage storage = finished_trial();
  const Keys before = keys(storage);
  for (const auto resume : {ResumePolicy::refuse, ResumePolicy::resume, ResumePolicy::overwrite}) {
    TrialFolderOptions chosen = of_worker(3, 1, resume);
    chosen.writes = false;
    TrialFolder folder = opened(storage, chosen);
    REQUIRE(folder.close());
    CHECK(keys(storage) == before);
  }
}

TEST_CASE("in a job whose platform marks the end no marker is written") {
  const AnyStorage storage{MemoryStorage()};
  TrialFolderOptions chosen = options();
  chosen.end_marker = EndMarkerPolicy::never;
  TrialFolder folder = opened(storage, chosen);
  REQUIRE(folder.close());
  CHECK(keys(storage).empty());
}

TEST_CASE(
    "smdebug's way: the folder is claimed with the first step, a claimed one silences, each worker marks the end") {
  const AnyStorage storage{MemoryStorage()};
  TrialFolderOptions chosen = options();
  chosen.claim = ClaimPolicy::smdebug;
  chosen.end_marker = EndMarkerPolicy::every_worker;
  TrialFolder first = opened(storage, chosen);
  TrialFolder second = opened(storage, chosen);
  CHECK(keys(storage).empty());
  CHECK(first.begin_writing().value());
  CHECK(first.begin_writing().value());
  CHECK(keys(storage) == Keys{"claim.smd"});
  CHECK(second.may_write());
  CHECK_FALSE(second.begin_writing().value());
  CHECK_FALSE(second.may_write());
  CHECK_FALSE(second.begin_writing().value());
  REQUIRE(second.close());
  CHECK(keys(storage) == Keys{"claim.smd", "training_job_end.ts"});
  REQUIRE(first.close());
  CHECK(keys(storage) == Keys{"training_job_end.ts"});
  CHECK_FALSE(TrialFolder::open(storage, chosen));
}

TEST_CASE("closing gives up the claim even where the end can't be marked") {
  const MemoryStorage memory;
  const auto plan = loupe::FaultPlan::fail_nth(2).only(loupe::StorageOperation::put);
  TrialFolder folder = opened(AnyStorage(loupe::FaultStorage(memory, plan)), options());
  const auto closed = folder.close();
  REQUIRE_FALSE(closed);
  CHECK(closed.error().kind == ErrorKind::io);
  CHECK(keys(AnyStorage(memory)).empty());
}

TEST_CASE("whatever storage operation fails on opening, the folder is given up whole") {
  for (const auto resume : {ResumePolicy::refuse, ResumePolicy::resume, ResumePolicy::overwrite}) {
    bool has_opened = false;
    for (std::uint64_t n = 1; !has_opened; ++n) {
      const MemoryStorage memory;
      put_step(AnyStorage(memory), 3, Mode::train, 1);
      auto folder =
          TrialFolder::open(AnyStorage(loupe::FaultStorage(memory, loupe::FaultPlan::fail_nth(n))), options(resume));
      has_opened = folder.has_value();
      if (!has_opened) CHECK_FALSE(AnyStorage(memory).stat(format::claim_key));
    }
  }
}

TEST_CASE("overwriting removes files that a crash has left unfinished, of this worker alone if there are several") {
  const Keys left{"claim.smd.4711-0.tmp",
                  "collections/000000000/worker_0_collections.json.tmp",
                  "events/000000000007/000000000007_worker_0.tfevents.tmp",
                  "events/000000000007/000000000007_worker_1.tfevents.tmp",
                  "index/000000000/000000000007_worker_0.json.tmp",
                  "models/epoch_1.pt.tmp"};
  for (const std::int64_t world_size : {1, 2}) {
    const TemporaryFolder root;
    for (const std::string& file : left) {
      std::filesystem::create_directories((std::filesystem::path(root.path()) / file).parent_path());
      std::ofstream(std::filesystem::path(root.path()) / file) << "half a rec";
    }
    const AnyStorage storage{LocalStorage(root.path())};
    const TrialFolder folder = opened(storage, of_worker(0, world_size, ResumePolicy::overwrite));
    CHECK(root.files() == (world_size == 1 ? Keys{left[5]} : Keys{left[0], left[3], left[5]}));
  }
}

TEST_CASE("marks of workers that the run no longer has don't end the trial early") {
  const AnyStorage storage{MemoryStorage()};
  for (const std::string_view worker : {"worker_2", "worker_3"})
    put(storage, loupe::Text::join(format::closed_prefix, worker));
  TrialFolder first = opened(storage, of_worker(0, 2, ResumePolicy::resume));
  TrialFolder second = opened(storage, of_worker(1, 2, ResumePolicy::resume));
  REQUIRE(first.close());
  CHECK_FALSE(storage.stat(format::end_marker_key));
  REQUIRE(second.close());
  CHECK(storage.stat(format::end_marker_key));
}

TEST_CASE("a worker of a resumed run may close before another has opened, and the trial doesn't end by that") {
  const AnyStorage storage{MemoryStorage()};
  for (int run = 0; run < 2; ++run) {
    for (const int rank : {0, 1}) {
      TrialFolder folder = opened(storage, of_worker(rank, 2, ResumePolicy::resume));
      CHECK_FALSE(storage.stat(format::end_marker_key));
      REQUIRE(folder.close());
    }
    CHECK(keys(storage) == Keys{"training_job_end.ts"});
  }
}

TEST_CASE("one of several workers that overwrites removes the marks of ranks that are no more") {
  const AnyStorage storage{MemoryStorage()};
  for (const std::string_view worker : {"worker_0", "worker_1", "worker_2"})
    put(storage, loupe::Text::join(format::closed_prefix, worker));
  const TrialFolder folder = opened(storage, of_worker(0, 2, ResumePolicy::overwrite));
  CHECK(keys(storage) == Keys{"loupe/closed/worker_1"});
}

TEST_CASE("smdebug's way, too, a worker that saves nothing leaves the trial to those that do") {
  for (const auto resume : {ResumePolicy::refuse, ResumePolicy::resume, ResumePolicy::overwrite}) {
    const AnyStorage storage = finished_trial();
    const Keys before = keys(storage);
    TrialFolderOptions chosen = of_worker(1, 1, resume);
    chosen.claim = ClaimPolicy::smdebug;
    chosen.end_marker = EndMarkerPolicy::every_worker;
    chosen.writes = false;
    CHECK(TrialFolder::open(storage, chosen).has_value() == (resume != ResumePolicy::refuse));
    CHECK(keys(storage) == before);
  }
}

TEST_CASE("a step number that no run could count on from is ignored when a trial is resumed") {
  const AnyStorage storage = finished_trial();
  put_step(storage, 950, Mode::eval, INT64_MAX);
  put_step(storage, INT64_MAX / 2 + 1, Mode::train, 900);
  const TrialFolder folder = opened(storage, options(ResumePolicy::resume));
  CHECK(folder.counters().global == 950);
  CHECK(folder.counters().modes[mode_index(Mode::eval)] == 19);
  CHECK(folder.counters().modes[mode_index(Mode::train)] == 800);
}

TEST_CASE("a claim that failed is tried again before anything is written") {
  const MemoryStorage memory;
  const auto plan = loupe::FaultPlan::fail_nth(1).only(loupe::StorageOperation::put);
  TrialFolderOptions chosen = options();
  chosen.claim = ClaimPolicy::smdebug;
  TrialFolder folder = opened(AnyStorage(loupe::FaultStorage(memory, plan)), chosen);
  CHECK_FALSE(folder.begin_writing());
  CHECK(folder.begin_writing().value());
  CHECK(keys(AnyStorage(memory)) == Keys{"claim.smd"});
}
