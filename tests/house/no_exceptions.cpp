// Built with -fno-exceptions -fno-rtti: every failure is a value. Exit status 0 when each step gives what it should.
#include "loupe/loupe.hpp"

int main() {
  const float numbers[] = {1, 2, 3, 4};
  const loupe::TensorView view(numbers, loupe::ElementType::float32, loupe::Shape{2, 2});
  const auto copied = loupe::Array::copy_of(view);
  if (!copied || copied->size() != 4) return 1;
  const auto refused = loupe::Array::make(loupe::ElementType::none, loupe::Shape{2});
  if (refused || refused.error().kind != loupe::ErrorKind::invalid_argument) return 2;
  return 0;
}
