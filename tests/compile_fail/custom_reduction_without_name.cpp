// expect: a reduction needs 'static constexpr std::string_view name'
#include <string_view>

#include "loupe/reduce/custom.hpp"
#include "loupe/reduce/fused.hpp"

struct DeadFraction {
#ifndef LOUPE_MUST_FAIL
  static constexpr std::string_view name = "dead_fraction";
#endif
  static double value(const loupe::TensorView&) { return 0; }
};

loupe::ReduceFunction reduce_function() { return &loupe::reduce_tensor<loupe::WithCustom<loupe::Fused, DeadFraction>>; }
