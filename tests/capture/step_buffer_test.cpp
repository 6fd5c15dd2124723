#include "loupe/capture/step_buffer.hpp"

#include "support/catch.hpp"

using loupe::Mode;
using loupe::StepBuffer;

TEST_CASE("names, tags and shapes are found again") {
  StepBuffer buffer;
  const auto tag = buffer.keep_text("scalar/", "loss");
  CHECK(buffer.text(tag, buffer.text_end() - tag) == "scalar/loss");
  buffer.keep_shape("relu", {2, 3, 4});
  buffer.keep_shape("rank 0", {});
  REQUIRE(buffer.shapes.size() == 2);
  CHECK(buffer.text(buffer.shapes[0].name_begin, buffer.shapes[0].name_size) == "relu");
  CHECK(buffer.shape(buffer.shapes[0]) == loupe::Shape{2, 3, 4});
  CHECK(buffer.shape(buffer.shapes[1]) == loupe::Shape{});
}

TEST_CASE("the file's mode is that of its first entry, a record's before a shape's") {
  StepBuffer buffer;
  buffer.note_mode(Mode::eval, 1, true);
  buffer.note_mode(Mode::train, 2, false);
  buffer.note_mode(Mode::predict, 3, false);
  CHECK(buffer.mode() == Mode::train);
  CHECK(buffer.mode_step() == 2);
  buffer.clear();
  buffer.note_mode(Mode::predict, 7, false);
  buffer.note_mode(Mode::train, 8, true);
  CHECK(buffer.mode() == Mode::predict);
}

TEST_CASE("what waits is counted in bytes") {
  StepBuffer buffer;
  CHECK(buffer.empty());
  CHECK(buffer.pending_bytes() == 0);
  buffer.events.append("0123");
  buffer.summaries[0].records.append("45");
  buffer.objects.emplace_back().bytes.append("678");
  CHECK_FALSE(buffer.empty());
  CHECK(buffer.pending_bytes() == 9);
  buffer.clear();
  CHECK(buffer.empty());
}
