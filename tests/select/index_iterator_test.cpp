#include "loupe/select/index_iterator.hpp"

#include <vector>

#include "support/catch.hpp"

TEST_CASE("an index iterator visits the elements in order") {
  const std::vector<int> numbers{3, 1, 2};
  std::vector<int> seen;
  const loupe::IndexIterator<std::vector<int>> end(numbers, numbers.size());
  for (loupe::IndexIterator<std::vector<int>> at(numbers, 0); at != end; ++at) seen.push_back(*at);
  CHECK(seen == numbers);
}
