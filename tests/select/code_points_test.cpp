#include "loupe/select/code_points.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace loupe;

namespace {
std::vector<char32_t> codes_of(std::string_view text) {
  std::vector<char32_t> codes;
  while (!text.empty()) codes.push_back(take_code_point(text));
  return codes;
}
}  // namespace

TEST_CASE("valid UTF-8 gives its code points") {
  CHECK(codes_of("aé数😀\x7f") == std::vector<char32_t>{'a', 0xE9, 0x6570, 0x1F600, 0x7F});
  CHECK(codes_of("\xf4\x8f\xbf\xbf") == std::vector<char32_t>{0x10FFFF});
}

TEST_CASE("every byte that begins no valid sequence gives a code point of its own") {
  CHECK(codes_of("\xff"
                 "a") == std::vector<char32_t>{0xDCFF, 'a'});
  CHECK(codes_of("\xc3") == std::vector<char32_t>{0xDCC3});
  CHECK(codes_of("\xc0\x80") == std::vector<char32_t>{0xDCC0, 0xDC80});
  CHECK(codes_of("\xe0\x80\x80").size() == 3);
  CHECK(codes_of("\xed\xa0\x80").size() == 3);
  CHECK(codes_of("\xf4\x90\x80\x80").size() == 4);
  CHECK(codes_of("\xf0\x8f\xbf\xbf").size() == 4);
  CHECK(codes_of("\xe6\x95") == std::vector<char32_t>{0xDCE6, 0xDC95});
}

TEST_CASE("letters and digits of any script are word characters, punctuation and symbols are not") {
  for (const char32_t code : U"azAZ09_éß数ёאあＡ½²ª")
    if (code != 0) CHECK(is_word_character(code));
  for (const char32_t code : U" -/.:@[`{\x7f\u0080\u00a0«—…→∑★、。「😀\ue000")
    if (code != 0) CHECK_FALSE(is_word_character(code));
  CHECK_FALSE(is_word_character(0xDCFF));
}
