// expect: constraints not satisfied|does not satisfy .Element.|no matching function
#include "loupe/base/array.hpp"

struct Foreign {};

#ifdef LOUPE_MUST_FAIL
using Type = Foreign;
#else
using Type = float;
#endif

auto elements_of(const loupe::Array& array) { return array.elements<Type>(); }
