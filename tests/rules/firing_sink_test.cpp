#include "loupe/rules/firing_sink.hpp"

#include <type_traits>

#include "support/catch.hpp"

using loupe::rules::Firing;
using loupe::rules::on_firing;

TEST_CASE("a sink may be a callable with or without a result") {
  int told = 0;
  CHECK(on_firing([&](const Firing&) { ++told; })->fired({}));
  CHECK(told == 1);
  const auto fails = on_firing([](const Firing&) -> loupe::result<void> { return loupe::fail(loupe::ErrorKind::io, "sink", "no"); });
  CHECK_FALSE(fails->fired({}));
}
