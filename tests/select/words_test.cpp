#include "loupe/select/words.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("words stand between commas, without the blanks around them") {
  const auto words = [](std::string_view text) {
    std::vector<std::string> found;
    loupe::for_each_word(text, [&](std::string_view word) { found.emplace_back(word); });
    return found;
  };
  CHECK(words("a, b c ,\td\n") == std::vector<std::string>{"a", "b c", "d"});
  CHECK(words("") == std::vector<std::string>{""});
  CHECK(words(",") == std::vector<std::string>{"", ""});
}

TEST_CASE("a text of blanks is empty once trimmed") {
  CHECK(loupe::trimmed(" \t\r\n\f\v").empty());
  CHECK(loupe::trimmed(" x ") == "x");
}
