// expect: a reduction strategy needs the static members provides, Partials
#include "loupe/reduce/strategy.hpp"

struct Smallest {
  static constexpr loupe::StatisticSet provides{loupe::Statistic::min};
  struct Partials {};
  static Partials partials(const loupe::TensorView&, loupe::StatisticSet) { return {}; }
#ifndef LOUPE_MUST_FAIL
  static void merge(Partials&, const Partials&) {}
#endif
  static loupe::result<loupe::Scalar> value(const Partials&, loupe::Statistic) { return loupe::Scalar(); }
};

loupe::ReduceFunction reduce_function() { return &loupe::reduce_tensor<Smallest>; }
