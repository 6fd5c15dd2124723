// expect: the first argument has custom reductions already: list all of them in one WithCustom
#include <string_view>

#include "loupe/reduce/custom.hpp"
#include "loupe/reduce/fused.hpp"

struct First {
  static constexpr std::string_view name = "first";
  static double value(const loupe::TensorView&) { return 1; }
};
struct Second {
  static constexpr std::string_view name = "second";
  static double value(const loupe::TensorView&) { return 2; }
};

#ifdef LOUPE_MUST_FAIL
using Strategy = loupe::WithCustom<loupe::WithCustom<loupe::Fused, First>, Second>;
#else
using Strategy = loupe::WithCustom<loupe::Fused, First, Second>;
#endif

loupe::ReduceFunction reduce_function() { return &loupe::reduce_tensor<Strategy>; }
