#include "loupe/base/element_type.hpp"

#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "support/catch.hpp"

using loupe::element_type_of;
using loupe::ElementType;

static_assert(element_type_of<char> == ElementType::int8 || element_type_of<char> == ElementType::uint8);
static_assert(element_type_of<long long> == ElementType::int64);
static_assert(element_type_of<std::complex<float>> == ElementType::complex64);
static_assert(element_type_of<std::complex<double>> == ElementType::complex128);
static_assert(element_type_of<std::string_view> == ElementType::string);
static_assert(!loupe::Element<long double>);
static_assert(!loupe::Element<std::complex<long double>>);
static_assert(!loupe::Element<int*>);
static_assert(!loupe::Element<wchar_t>);

TEST_CASE("every element type has a name, a size and a C++ type that lead back to it") {
  for (int number = 1; number <= static_cast<int>(ElementType::string); ++number) {
    const auto type = static_cast<ElementType>(number);
    CHECK(loupe::element_type_from_name(loupe::element_type_name(type)) == type);
    CHECK(loupe::element_size(type) > 0);
    loupe::visit_element_type(type, [&]<class Type>() {
      if constexpr (std::is_void_v<Type>)
        FAIL("no C++ type");
      else
        CHECK(element_type_of<Type> == type);
    });
  }
  CHECK(loupe::element_size(ElementType::none) == 0);
  CHECK(loupe::element_type_from_name("float128") == ElementType::none);
}

TEST_CASE("names are numpy's") {
  CHECK(loupe::element_type_name(ElementType::boolean) == "bool");
  CHECK(loupe::element_type_name(ElementType::uint16) == "uint16");
  CHECK(loupe::element_type_name(ElementType::complex128) == "complex128");
}

TEST_CASE("element types are classed") {
  CHECK(loupe::is_complex(ElementType::complex64));
  CHECK(loupe::is_floating(ElementType::bfloat16));
  CHECK_FALSE(loupe::is_floating(ElementType::complex64));
  CHECK(loupe::is_signed_integer(ElementType::int8));
  CHECK(loupe::is_unsigned_integer(ElementType::uint64));
  CHECK_FALSE(loupe::is_unsigned_integer(ElementType::boolean));
}
