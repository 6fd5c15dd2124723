#include "loupe/trial/tensor_reader.hpp"

#include <string>
#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/reduce/fused.hpp"
#include "loupe/storage/fault.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using loupe::Absence;
using loupe::ErrorKind;
using loupe::Mode;
using loupe::ModeStep;

namespace {

loupe::result<loupe::Scalar> compute(const loupe::TensorView& view, loupe::Statistic statistic) {
  return loupe::Fused::value(loupe::Fused::partials(view, statistic), statistic);
}

/// A reader of a run in memory.
struct Reading {
  explicit Reading(const loupe::ReaderQuirks& given = {}) : quirks(given) {}
  loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  loupe::ManualClock clock;
  loupe::ReaderQuirks quirks;
  loupe::WaitSettings wait{std::make_shared<const loupe::AnyClock>(clock), nullptr, 1'000'000'000, 0};
  loupe::Follower follower{run.storage(), {.quirks = quirks}, wait};
  loupe::EventFiles files{run.storage(), {wait, 0, 4, quirks.constant_check_word_only}};
  loupe::TensorReader reader{follower, files, quirks, &compute};

  const loupe::Interned* tensor(std::string_view name) {
    REQUIRE(follower.refresh_if_due());
    const auto* record = follower.snapshot()->tensor(name);
    REQUIRE(record != nullptr);
    return record->tensor;
  }
  loupe::result<loupe::ValueView> value(std::string_view name, std::int64_t step, std::string_view worker = {}) {
    return reader.value(tensor(name), ModeStep(Mode::global, step), worker);
  }
};

ModeStep global(std::int64_t step) { return {Mode::global, step}; }

}  // namespace

TEST_CASE("a value is read with its type and shape") {
  Reading at;
  at.run.step(0).tensor("a", {1, 2, 3, 4, 5, 6}, {2, 3}).write();
  const auto value = at.value("a", 0);
  REQUIRE(value);
  CHECK(value->type() == loupe::ElementType::float32);
  CHECK(value->shape() == loupe::Shape{2, 3});
  CHECK(loupe::load_element<float>(static_cast<const std::byte*>(value->view().data) + 20) == 6);
}

TEST_CASE("a value that was never saved at a saved step says so") {
  Reading at;
  at.run.step(0).tensor("a", {1}).write();
  at.run.step(1).tensor("b", {1}).write();
  const auto value = at.value("a", 1);
  REQUIRE_FALSE(value);
  CHECK(value.error().kind == ErrorKind::tensor_unavailable_for_step);
  CHECK(value.error().reason == Absence::never_saved);
  CHECK(value.error().object == "a");
  CHECK(value.error().step == 1);
  CHECK_FALSE(value.error().has_reductions);
}

TEST_CASE("a value that was only reduced names the reductions there are") {
  Reading at;
  at.run.step(0).reduction("min", "a", 1).reduction("abs_mean", "a", 2).shape("a", {3}).write();
  const auto value = at.value("a", 0);
  REQUIRE_FALSE(value);
  CHECK(value.error().kind == ErrorKind::tensor_unavailable_for_step);
  CHECK(value.error().reason == Absence::only_reduced);
  CHECK(value.error().has_reductions);
  CHECK(value.error().detail == "saved are min, abs_mean");
  const auto shape = at.reader.shape(at.tensor("a"), global(0), {});
  REQUIRE(shape);
  CHECK(*shape == loupe::Shape{3});
}

TEST_CASE("a value whose shape alone was saved says so") {
  Reading at;
  at.run.step(0).shape("a", {3}).write();
  CHECK(at.value("a", 0).error().reason == Absence::only_shape);
}

TEST_CASE("steps that were skipped and steps to come are told apart") {
  Reading at;
  at.run.save({0, 2});
  const auto skipped = at.value("a", 1);
  CHECK(skipped.error().kind == ErrorKind::step_unavailable);
  CHECK(skipped.error().reason == Absence::never_saved);
  const auto to_come = at.value("a", 3);
  CHECK(to_come.error().kind == ErrorKind::step_not_yet_available);
  CHECK(to_come.error().reason == Absence::not_yet);
  at.run.end();
  CHECK(at.value("a", 3).error().kind == ErrorKind::step_unavailable);
}

TEST_CASE("a step that isn't known is looked for again before it is refused") {
  Reading at;
  at.run.save({0});
  const auto* a = at.tensor("a");
  at.run.save({1});
  CHECK(at.reader.value(a, global(1), {}));
}

TEST_CASE("a tensor whose event file is missing is lost, the others are not") {
  Reading at;
  at.run.step(0).tensor("a", {1}).write_index();
  at.run.step(1).tensor("a", {1}).write().end();
  const auto value = at.value("a", 0);
  REQUIRE_FALSE(value);
  CHECK(value.error().kind == ErrorKind::tensor_unavailable_for_step);
  CHECK(value.error().reason == Absence::lost);
  CHECK(value.error().message().view().find("events/000000000000/") != std::string_view::npos);
  CHECK(at.value("a", 1));
  const auto shape = at.reader.shape(at.tensor("a"), global(0), {});
  CHECK(shape.error().kind == ErrorKind::shape_unavailable_for_step);
  CHECK(shape.error().reason == Absence::lost);
}

TEST_CASE("a tensor whose bytes are damaged is unavailable with file and offset, the others of the file are not") {
  Reading at;
  at.run.step(0).tensor("a", {1}).tensor("b", {2}).write();
  const loupe::Text key = loupe::format::event_key(0, "worker_0");
  loupe::ByteBuffer bytes;
  REQUIRE(at.memory.read(key, {}, bytes));
  std::string text(std::as_const(bytes).text());
  text[22] = '\xff';
  at.run.put(key, text);
  const auto value = at.value("a", 0);
  REQUIRE_FALSE(value);
  CHECK(value.error().kind == ErrorKind::tensor_unavailable_for_step);
  CHECK(value.error().reason == Absence::corrupt);
  CHECK(value.error().offset >= 0);
  CHECK(value.error().message().view().find(key.view()) != std::string_view::npos);
  CHECK(at.value("b", 0));
}

TEST_CASE("a record of another tensor is damage, unless smdebug is imitated") {
  const auto read = [](const loupe::ReaderQuirks& quirks) {
    Reading at(quirks);
    at.run.step(0).tensor("abc", {1}).write();
    loupe::ByteBuffer bytes;
    const loupe::Text key = loupe::format::index_key(0, "worker_0");
    REQUIRE(at.memory.read(key, {}, bytes));
    std::string text(std::as_const(bytes).text());
    text.replace(text.find("abc"), 3, "xyz");
    at.run.put(key, text);
    return at.value("xyz", 0);
  };
  const auto value = read({});
  REQUIRE_FALSE(value);
  CHECK(value.error().reason == Absence::corrupt);
  CHECK(read({.tags_unchecked = true, .smdebug_values = true}));
}

TEST_CASE("a saved reduction is read, another one computed from the value") {
  Reading at;
  at.run.step(0).tensor("a", {1, -3}).reduction("mean", "a", 77).write();
  const auto saved = at.reader.reduction(at.tensor("a"), global(0), "mean", {});
  REQUIRE(saved);
  CHECK(saved->is_saved());
  CHECK(saved->number.as_double() == 77);
  const auto computed = at.reader.reduction(at.tensor("a"), global(0), "abs_max", {});
  REQUIRE(computed);
  CHECK_FALSE(computed->is_saved());
  CHECK(computed->number.as_double() == 3);
  const auto counted = at.reader.reduction(at.tensor("a"), global(0), "zero_count", {});
  REQUIRE(counted);
  CHECK(counted->number.as_double() == 0);
}

TEST_CASE("a reduction that was neither saved nor can be computed is unavailable, an unknown one an error") {
  Reading at;
  at.run.step(0).reduction("min", "a", 1).tensor("b", {1}).write();
  const auto absent = at.reader.reduction(at.tensor("a"), global(0), "max", {});
  REQUIRE_FALSE(absent);
  CHECK(absent.error().kind == ErrorKind::tensor_unavailable_for_step);
  CHECK(absent.error().object == "a");
  CHECK(absent.error().has_reductions);
  const auto unknown = at.reader.reduction(at.tensor("b"), global(0), "median", {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::invalid_argument);
  CHECK(unknown.error().object == "median");
}

TEST_CASE("as in smdebug, a reduction that can't be had is reported by its own name, and must be one of smdebug's") {
  Reading at({.error_names_reduction = true, .smdebug_reductions_only = true});
  at.run.step(0).reduction("min", "a", 1).tensor("b", {1}).write();
  CHECK(at.reader.reduction(at.tensor("a"), global(0), "max", {}).error().object == "max");
  CHECK(at.reader.reduction(at.tensor("b"), global(0), "zero_count", {}).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("all saved reductions come by name, custom ones too, and none is no error") {
  Reading at;
  at.run.step(0).reduction("l2", "a", 2).reduction("median", "a", 3).tensor("b", {1}).write();
  const auto saved = at.reader.saved_reductions(at.tensor("a"), global(0), {});
  REQUIRE(saved);
  REQUIRE(saved->size() == 2);
  CHECK((*saved)[0].name == "l2");
  CHECK((*saved)[1].name == "median");
  CHECK((*saved)[1].number.as_double() == 3);
  CHECK(at.reader.reduction(at.tensor("a"), global(0), "median", {})->is_saved());
  CHECK(at.reader.saved_reductions(at.tensor("b"), global(0), {})->empty());
}

TEST_CASE("a saved reduction that is not one number is damage") {
  Reading at;
  at.run.step(0).tensor("smdebug/reductions/min/a", {1, 2}).write();
  const auto saved = at.reader.saved_reductions(at.tensor("a"), global(0), {});
  REQUIRE_FALSE(saved);
  CHECK(saved.error().reason == Absence::corrupt);
}

TEST_CASE("value and shape of one tensor in one step are both there, unless smdebug is imitated") {
  const auto read = [](const loupe::ReaderQuirks& quirks) {
    Reading at(quirks);
    at.run.step(0).tensor("a", {1, 2}).shape("a", {2}).write();
    return at.value("a", 0);
  };
  CHECK(read({}));
  CHECK(read({.shape_hides_value = true}).error().reason == Absence::only_shape);
}

TEST_CASE("a storage that fails once fails the one call and no other") {
  loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  run.step(0).tensor("a", {1, 2}).write();
  const loupe::ManualClock clock;
  const loupe::WaitSettings wait{std::make_shared<const loupe::AnyClock>(clock), nullptr, 1, 0};
  int failures = 0;
  for (std::uint64_t n = 1; n <= 8; ++n) {
    const loupe::AnyStorage failing{loupe::FaultStorage(memory, loupe::FaultPlan::fail_nth(n))};
    loupe::Follower follower(failing, {}, wait);
    loupe::EventFiles files(failing, {wait, 0, 4, false});
    const loupe::ReaderQuirks quirks;
    loupe::TensorReader reader(follower, files, quirks, &compute);
    if (!follower.refresh() || follower.snapshot()->tensor("a") == nullptr) REQUIRE(follower.refresh());
    const auto* a = follower.snapshot()->tensor("a")->tensor;
    const auto first = reader.value(a, global(0), {});
    if (!first) {
      ++failures;
      CHECK(first.error().kind == ErrorKind::io);
    }
    const auto second = reader.value(a, global(0), {});
    REQUIRE(second);
    CHECK(second->shape() == loupe::Shape{2});
  }
  CHECK(failures > 0);
}
