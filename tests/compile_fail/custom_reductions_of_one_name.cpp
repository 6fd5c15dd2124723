// expect: two reductions have one name, or one has that of a statistic of loupe's
#include <string_view>

#include "loupe/reduce/custom.hpp"
#include "loupe/reduce/fused.hpp"

struct DeadFraction {
  static constexpr std::string_view name = "dead_fraction";
  static double value(const loupe::TensorView&) { return 0; }
};

struct Largest {
#ifdef LOUPE_MUST_FAIL
  static constexpr std::string_view name = "max";
#else
  static constexpr std::string_view name = "largest";
#endif
  static double value(const loupe::TensorView&) { return 0; }
};

loupe::ReduceFunction reduce_function() {
  return &loupe::reduce_tensor<loupe::WithCustom<loupe::Fused, DeadFraction, Largest>>;
}
