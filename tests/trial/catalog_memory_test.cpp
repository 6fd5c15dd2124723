#include "loupe/trial/catalog.hpp"

#include <string>

#include "loupe/format/index.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/live_bytes.hpp"

namespace {

constexpr int steps = 1000;
constexpr int tensors = 20;
constexpr int workers = 8;

/// The index files of 1000 steps with 20 tensors of 8 workers.
loupe::MemoryStorage large_index() {
  loupe::MemoryStorage memory;
  loupe::ByteBuffer text;
  for (int step = 0; step < steps; ++step)
    for (int rank = 0; rank < workers; ++rank) {
      const std::string worker = "worker_" + std::to_string(rank);
      text.clear();
      loupe::format::IndexWriter entries(text, loupe::Mode::train, step, loupe::format::event_key(step, worker));
      for (int tensor = 0; tensor < tensors; ++tensor)
        entries.tensor("features." + std::to_string(tensor) + ".conv.weight", static_cast<std::uint64_t>(tensor) * 4200, 4200);
      entries.finish();
      REQUIRE(memory.put(loupe::format::index_key(step, worker), std::as_const(text).bytes(), loupe::PutMode::replace));
    }
  return memory;
}

}  // namespace

TEST_CASE("an index entry takes at most 96 bytes in an open trial, and a refresh copies next to nothing") {
  loupe::MemoryStorage memory = large_index();
  loupe::CatalogSettings settings;
  settings.required_workers = workers;
  settings.last_worker = "worker_7";
  const std::ptrdiff_t before = live_bytes;
  loupe::Catalog catalog(loupe::AnyStorage(memory), settings);
  REQUIRE(catalog.read());
  const auto snapshot = catalog.snapshot();
  REQUIRE(snapshot->entry_count() == std::size_t{steps} * tensors * workers);
  const std::ptrdiff_t opened = live_bytes;
  CHECK((opened - before) / static_cast<std::ptrdiff_t>(snapshot->entry_count()) <= 96);

  // A further step of one worker, while the snapshot before is still held.
  REQUIRE(memory.put(loupe::format::index_key(steps, "worker_0"),
                     std::as_bytes(std::span(std::string_view(
                         R"({"meta": {"mode": "TRAIN", "mode_step": 1000}, "shape_payload": [{"tensorname": "s", "originalname": "s", "shape": []}]})"))),
                     loupe::PutMode::replace));
  const std::ptrdiff_t waiting = live_bytes;
  REQUIRE(catalog.read());
  const auto after = catalog.snapshot();
  REQUIRE(after->entry_count() == snapshot->entry_count() + 1);
  CHECK(live_bytes - waiting <= (opened - before) / 20);
}
