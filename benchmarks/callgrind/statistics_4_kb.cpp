// Eight statistics of a tensor of 4 KB: one operation is one reduction.

#include <span>
#include <vector>

#include "callgrind/counted.hpp"
#include "loupe/reduce/fused.hpp"

int main() {
  using enum loupe::Statistic;
  const loupe::StatisticSet wanted{min, max, mean, std, l1, l2, sum, abs_max};
  std::vector<float> tensor(1024);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<float>(i % 17) - 8.0F;
  const loupe::TensorView view{std::span<const float>(tensor)};
  loupe::ReducedValues values;
  loupe::reduce_tensor<loupe::Fused>(view, wanted, values);  // chooses the instruction set
  counted([&] {
    for (int i = 0; i < operations; ++i) loupe::reduce_tensor<loupe::Fused>(view, wanted, values);
  });
}
