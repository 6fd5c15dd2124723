#include "loupe/trial/reader_quirks.hpp"

#include "support/catch.hpp"

TEST_CASE("loupe's own reading has no quirks, smdebug's has all of them") {
  constexpr loupe::ReaderQuirks none = loupe::reader_quirks<loupe::compat::Native>;
  constexpr loupe::ReaderQuirks all = loupe::reader_quirks<loupe::compat::Smdebug>;
  const auto count = [](const loupe::ReaderQuirks& quirks) {
    const auto* flags = reinterpret_cast<const unsigned char*>(&quirks);
    std::size_t set = 0;
    for (std::size_t i = 0; i < sizeof quirks; ++i) set += flags[i];
    return set;
  };
  CHECK(count(none) == 0);
  CHECK(count(all) == sizeof all);
}
