#include "loupe/trial/chunked_map.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace {

struct Record {
  std::int64_t number = 0;
  int content = 0;
  [[nodiscard]] std::int64_t key() const noexcept { return number; }
};

using SmallMap = loupe::ChunkedMap<Record, 4>;

void put(SmallMap& map, std::int64_t key, int content, std::uint64_t edition = 1) {
  map.edit(key, edition, [&] { return Record{key, 0}; }).content = content;
}

std::vector<std::int64_t> keys(const SmallMap& map) {
  std::vector<std::int64_t> found;
  map.for_each([&](const Record& record) { found.push_back(record.number); });
  return found;
}

}  // namespace

TEST_CASE("an empty map finds nothing") {
  const SmallMap map;
  CHECK(map.empty());
  CHECK(map.find(3) == nullptr);
  CHECK(map.lower_bound(3) == map.end());
  CHECK(map.begin() == map.end());
}

TEST_CASE("records are found by key and visited in order, in whatever order they came") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int64_t> inserted(50);
    for (std::size_t i = 0; i < inserted.size(); ++i) inserted[i] = static_cast<std::int64_t>(i) * 3;
    std::shuffle(inserted.begin(), inserted.end(), random);
    SmallMap map;
    for (const std::int64_t key : inserted) put(map, key, static_cast<int>(key) + 1);
    CHECK(map.size() == inserted.size());
    std::sort(inserted.begin(), inserted.end());
    CHECK(keys(map) == inserted);
    for (std::int64_t key = -1; key < 152; ++key) {
      const Record* found = map.find(key);
      const bool is_there = key >= 0 && key < 150 && key % 3 == 0;
      REQUIRE((found != nullptr) == is_there);
      if (found != nullptr) CHECK(found->content == key + 1);
    }
  }
}

TEST_CASE("a lower bound is the first record that is not less, and places go both ways from there") {
  SmallMap map;
  for (std::int64_t key = 0; key < 40; key += 2) put(map, key, 0);
  auto at = map.lower_bound(13);
  CHECK(map[at].number == 14);
  CHECK(map[map.previous(at)].number == 12);
  std::int64_t expected = 14;
  for (; at != map.end(); at = map.next(at), expected += 2) CHECK(map[at].number == expected);
  CHECK(expected == 40);
  CHECK(map[map.previous(map.end())].number == map.back().number);
}

TEST_CASE("editing a known key changes the record and adds none") {
  SmallMap map;
  put(map, 1, 10);
  put(map, 1, 20);
  CHECK(map.size() == 1);
  CHECK(map.find(1)->content == 20);
}

TEST_CASE("a copy keeps its records when the map is edited under another edition") {
  SmallMap map;
  for (std::int64_t key = 0; key < 20; ++key) put(map, key, 1, 1);
  const SmallMap before = map;
  put(map, 5, 2, 2);
  put(map, 100, 2, 2);
  put(map, -1, 2, 2);
  CHECK(before.size() == 20);
  CHECK(before.find(5)->content == 1);
  CHECK(before.find(100) == nullptr);
  CHECK(map.size() == 22);
  CHECK(map.find(5)->content == 2);
  CHECK(map.find(-1) != nullptr);
}

TEST_CASE("an edit shares the records of chunks that it doesn't touch") {
  SmallMap map;
  for (std::int64_t key = 0; key < 20; ++key) put(map, key, 1, 1);
  const SmallMap before = map;
  put(map, 19, 2, 2);
  CHECK(before.find(0) == map.find(0));
  CHECK(before.find(19) != map.find(19));
}

TEST_CASE("random edits of shared copies agree with a map of the standard library") {
  std::mt19937 random(11);
  SmallMap map;
  std::map<std::int64_t, int> reference;
  std::vector<std::pair<SmallMap, std::map<std::int64_t, int>>> copies;
  for (std::uint64_t edition = 1; edition <= 60; ++edition) {
    for (int i = 0; i < 10; ++i) {
      const auto key = static_cast<std::int64_t>(random() % 200);
      const auto content = static_cast<int>(random() % 1000);
      put(map, key, content, edition);
      reference[key] = content;
    }
    copies.emplace_back(map, reference);
  }
  for (const auto& [copy, expected] : copies) {
    REQUIRE(copy.size() == expected.size());
    auto next = expected.begin();
    bool agrees = true;
    copy.for_each([&](const Record& record) {
      agrees = agrees && record.number == next->first && record.content == next->second;
      ++next;
    });
    CHECK(agrees);
  }
}
