#include "loupe/capture/staging.hpp"

#include <cstddef>
#include <thread>

#include "support/catch.hpp"

using loupe::Staging;
using loupe::StepBuffer;

namespace {
StepBuffer* filled(Staging& staging, std::size_t bytes) {
  StepBuffer* buffer = staging.acquire();
  buffer->events.extend(bytes);
  return buffer;
}
}  // namespace

TEST_CASE("room shrinks with the bytes that wait and comes back with them") {
  Staging staging(100);
  CHECK(staging.room() == Staging::Room::enough);
  StepBuffer* first = filled(staging, 99);
  staging.submit(*first);
  CHECK(staging.room() == Staging::Room::enough);
  StepBuffer* second = filled(staging, 1);
  staging.submit(*second);
  CHECK(staging.room() == Staging::Room::scarce);
  StepBuffer* third = filled(staging, 100);
  staging.submit(*third);
  CHECK(staging.room() == Staging::Room::none);
  staging.release_submitted(first);
  staging.release_submitted(third);
  CHECK(staging.room() == Staging::Room::enough);
  staging.release_submitted(second);
}

TEST_CASE("a step larger than the limit is let through alone") {
  Staging staging(10);
  StepBuffer* large = filled(staging, 1000);
  CHECK(staging.room() == Staging::Room::enough);
  staging.submit(*large);
  CHECK(staging.room() == Staging::Room::none);
  staging.release_submitted(large);
  CHECK(staging.room() == Staging::Room::enough);
}

TEST_CASE("a buffer comes back empty, with its memory") {
  Staging staging(1000);
  StepBuffer* buffer = filled(staging, 500);
  const auto* memory = buffer->events.data();
  buffer->keep_text("name");
  buffer->keep_shape("name", {2, 3});
  buffer->note_mode(loupe::Mode::eval, 4, false);
  staging.submit(*buffer);
  staging.release_submitted(buffer);
  StepBuffer* again = staging.acquire();
  CHECK(again == buffer);
  CHECK(again->empty());
  CHECK(again->events.extend(500) == memory);
  staging.release(again);
}

TEST_CASE("waiting for room ends when a writer frees it") {
  Staging staging(10);
  StepBuffer* buffer = filled(staging, 10);
  staging.submit(*buffer);
  std::thread writer([&] { staging.release_submitted(buffer); });
  staging.wait_for_room();
  CHECK(staging.room() == Staging::Room::enough);
  writer.join();
}
