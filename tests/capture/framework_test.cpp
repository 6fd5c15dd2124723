#include "loupe/capture/framework.hpp"

#include <string_view>

#include "support/catch.hpp"

using loupe::TensorView;

namespace {

/// The smallest framework: what the concept asks for and nothing else.
struct Archetype {
  struct Tensor {};
  static constexpr std::string_view name = "archetype";
  static TensorView view(const Tensor&) noexcept { return {}; }
  static constexpr bool fills(std::string_view) noexcept { return false; }
};

/// A framework that computes its expressions.
struct Lazy : Archetype {
  struct Expression {
    int* evaluations;
  };
  using Archetype::view;
  static Tensor evaluate(const Expression& expression) {
    ++*expression.evaluations;
    return {};
  }
};

struct NoName {
  struct Tensor {};
  static TensorView view(const Tensor&) noexcept { return {}; }
  static constexpr bool fills(std::string_view) noexcept { return false; }
};
struct NoFills {
  struct Tensor {};
  static constexpr std::string_view name = "no fills";
  static TensorView view(const Tensor&) noexcept { return {}; }
};
struct ThrowingView {
  struct Tensor {};
  static constexpr std::string_view name = "throwing";
  static TensorView view(const Tensor&) { return {}; }
  static constexpr bool fills(std::string_view) noexcept { return false; }
};
struct RunTimeFills {
  struct Tensor {};
  static constexpr std::string_view name = "run-time fills";
  static TensorView view(const Tensor&) noexcept { return {}; }
  static bool fills(std::string_view) noexcept { return false; }
};

static_assert(loupe::Framework<Archetype>);
static_assert(loupe::Framework<Lazy>);
static_assert(!loupe::Framework<NoName>);
static_assert(!loupe::Framework<NoFills>);
static_assert(!loupe::Framework<ThrowingView>, "a view must not throw into the training");
static_assert(!loupe::Framework<RunTimeFills>, "rules are checked at compile time");
static_assert(!loupe::Framework<int>);

}  // namespace

TEST_CASE("a framework saves what it can view or compute") {
  CHECK(loupe::SavesTensor<Archetype, Archetype::Tensor>);
  CHECK_FALSE(loupe::SavesTensor<Archetype, Lazy::Expression>);
  CHECK(loupe::SavesTensor<Lazy, Lazy::Expression>);
  int evaluations = 0;
  (void)Lazy::evaluate({&evaluations});
  CHECK(evaluations == 1);
}
