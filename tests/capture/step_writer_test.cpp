#include "loupe/capture/step_writer.hpp"

#include <stdexcept>

#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"

using loupe::AnyExecutor;
using loupe::AnyStorage;
using loupe::MemoryStorage;

namespace {

/// Has no room, and says so by exception.
struct ThrowingExecutor {
  bool post(loupe::Task) { throw std::runtime_error("no thread"); }
  void drain() {}
};

}  // namespace

TEST_CASE("a step whose task the executor throws at is written by the thread that closes it") {
  const AnyStorage storage{MemoryStorage()};
  loupe::Staging staging(1000);
  loupe::FailureLog failures({});
  loupe::StepWriter writer({storage, storage, "tensorboard/", "1_host", "worker_0"},
                           AnyExecutor(ThrowingExecutor()), staging, failures);
  loupe::StepBuffer* const buffer = staging.acquire();
  buffer->objects.emplace_back().key = "object";
  writer.submit(buffer);
  writer.drain();
  CHECK(storage.stat("object"));
  CHECK(failures.snapshot().count == 0);
}
