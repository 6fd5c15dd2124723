#include "loupe/rules/reference_run.hpp"

#include <type_traits>

#include "support/catch.hpp"

static_assert(std::is_abstract_v<loupe::rules::ReferenceRun>);
static_assert(std::has_virtual_destructor_v<loupe::rules::ReferenceRun>);

TEST_CASE("a run to compare with may lie anywhere, and may have nothing") {
  struct Empty final : loupe::rules::ReferenceRun {
    std::optional<loupe::Array> value(std::string_view, loupe::ModeStep) override { return std::nullopt; }
  };
  CHECK_FALSE(Empty().value("t", {}));
}
