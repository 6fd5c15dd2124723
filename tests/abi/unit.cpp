// Compiled several times, each time with other settings and another ABI_UNIT.
#include "abi/unit.hpp"

#include <typeinfo>

#include "loupe/base/array.hpp"

#define ABI_TEXT_IMPL(name) #name
#define ABI_TEXT(name) ABI_TEXT_IMPL(name)

abi::Report abi::ABI_UNIT() {
  Report report{.unit = ABI_TEXT(ABI_UNIT), .result_type = typeid(decltype(&loupe::Array::copy_of)).name()};
  const double numbers[] = {1, 2, 3};
  const auto copied = loupe::Array::copy_of({numbers, loupe::ElementType::float64, loupe::Shape{3}});
  report.copies = copied && copied->elements<double>()[2] == 3;
  const auto refused = loupe::Array::make(loupe::ElementType::string, loupe::Shape{3});
  report.refuses = !refused && refused.error().kind == loupe::ErrorKind::invalid_argument;
  return report;
}
