// What every way of getting loupe must be able to build.
#include <cstdio>

#include "loupe/loupe.hpp"

int main() {
  const float numbers[] = {1, 2, 3, 4};
  const auto copied = loupe::Array::copy_of({numbers, loupe::ElementType::float32, loupe::Shape{2, 2}});
  std::printf("%zu elements\n", copied ? copied->size() : 0);
  return copied && copied->size() == 4 ? 0 : 1;
}
