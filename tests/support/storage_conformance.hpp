#pragma once
/// @file
/// What every model of `loupe::Storage` must do, as test cases: call `storage_conformance` in a TEST_CASE with a factory
/// of empty storages. The capabilities that a storage promises are tested, the others not.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "loupe/storage/concept.hpp"
#include "support/catch.hpp"

namespace storage_conformance_detail {

using Keys = std::vector<std::string>;

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

template <class Storage>
void put(Storage& storage, std::string_view key, std::string_view text) {
  REQUIRE(storage.put(key, bytes_of(text), loupe::PutMode::replace));
}

template <class Storage>
std::string content(Storage& storage, std::string_view key, loupe::ByteRange range = {}) {
  loupe::ByteBuffer bytes;
  const auto read = storage.read(key, range, bytes);
  INFO(key);
  REQUIRE(read);
  return std::string(bytes.text());
}

template <class Storage>
Keys listed(Storage& storage, std::string_view prefix = {}, std::string_view start_after = {}) {
  Keys keys;
  const auto outcome = storage.list(prefix, start_after, [&](const loupe::ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  });
  INFO("prefix " << prefix << ", after " << start_after);
  REQUIRE(outcome);
  if (!storage.capabilities().ordered_list) std::sort(keys.begin(), keys.end());
  return keys;
}

template <class Outcome>
void check_kind(const Outcome& outcome, loupe::ErrorKind kind) {
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == kind);
}

template <class Storage>
void listings(Storage storage) {
  CHECK(listed(storage).empty());
  CHECK(listed(storage, "nothing/here").empty());
  const Keys all{
      "a-b", "a/b", "a/b-c/d", "a/b.c", "a/c/d/e", "a/c/d0", "a0", "b", "\xc3\xa9t\xc3\xa9/\xf0\x9f\x94\xa5"};
  Keys shuffled = all;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  for (const std::string& key : shuffled) put(storage, key, key);
  CHECK(listed(storage) == all);

  // Prefixes are texts: they end at, before and behind slashes. A listing begins behind any text, a key or not.
  const Keys texts{"",      "a",      "a-", "a/", "a/b", "a/b-c/", "a/b-c/d", "a/b-c/d/",
                   "a/c/d", "a/c/d/", "a0", "b/", "c",   "\xc3",   "\xff",    "a/zz"};
  for (const std::string& prefix : texts)
    for (const std::string& start_after : texts) {
      Keys expected;
      for (const std::string& key : all)
        if (key.starts_with(prefix) && key > start_after) expected.push_back(key);
      CHECK(listed(storage, prefix, start_after) == expected);
    }
  for (const std::string& key : all) CHECK(std::ranges::count(listed(storage, {}, key), key) == 0);
  for (const std::string_view prefix : {"/", "/a", "a//", "a/../", "../", "./", "."})
    CHECK(listed(storage, prefix).empty());
  CHECK(listed(storage, std::string(5000, 'x')).empty());
  CHECK(listed(storage, std::string(300, 'x') + "/").empty());
  CHECK(listed(storage, std::string_view("a\0/b", 4)).empty());

  // The sink ends a listing, and may call the storage.
  int calls = 0;
  REQUIRE(storage.list({}, {}, [&](const loupe::ObjectInfo& object) {
    CHECK(content(storage, object.key) == object.key);
    return ++calls < 3;
  }));
  CHECK(calls == 3);
}

template <class Storage>
void reads(Storage storage) {
  put(storage, "digits", "0123456789");
  CHECK(content(storage, "digits") == "0123456789");
  CHECK(content(storage, "digits", {2, 3}) == "234");
  CHECK(content(storage, "digits", {8, 100}) == "89");
  CHECK(content(storage, "digits", {3, UINT64_MAX}) == "3456789");
  CHECK(content(storage, "digits", {5, 0}).empty());
  CHECK(content(storage, "digits", {10, 1}).empty());
  put(storage, "empty", "");
  CHECK(content(storage, "empty").empty());

  loupe::ByteBuffer bytes;
  bytes.append("before ");
  REQUIRE(storage.read("digits", {0, 2}, bytes));
  CHECK(bytes.text() == "before 01");
  check_kind(storage.read("digits", {11, 0}, bytes), loupe::ErrorKind::invalid_argument);
  check_kind(storage.read("digits", {UINT64_MAX, UINT64_MAX}, bytes), loupe::ErrorKind::invalid_argument);
  check_kind(storage.read("missing", {}, bytes), loupe::ErrorKind::not_found);
  check_kind(storage.read("digits/0", {}, bytes), loupe::ErrorKind::not_found);
  CHECK(bytes.text() == "before 01");

  std::string large(std::size_t{1} << 20, '\0');
  std::mt19937 random(2);
  for (char& byte : large) byte = static_cast<char>(random());
  put(storage, "large", large);
  CHECK(content(storage, "large") == large);
  CHECK(content(storage, "large", {large.size() - 5, 50}) == large.substr(large.size() - 5));
}

template <class Storage>
void facts(Storage storage) {
  check_kind(storage.stat("a"), loupe::ErrorKind::not_found);
  put(storage, "a/b", "four");
  check_kind(storage.stat("a"), loupe::ErrorKind::not_found);
  check_kind(storage.stat("a/b/c"), loupe::ErrorKind::not_found);
  const auto first = storage.stat("a/b");
  REQUIRE(first);
  CHECK(first->key == "a/b");
  CHECK(first->size == 4);
  CHECK(storage.stat("a/b")->generation == first->generation);
  // As fast as can be, and of one size: what was replaced must not look as it did before.
  std::vector<std::uint64_t> generations{first->generation};
  for (int round = 0; round < 100; ++round) {
    put(storage, "a/b", "1234");
    generations.push_back(storage.stat("a/b")->generation);
  }
  std::sort(generations.begin(), generations.end());
  CHECK(std::adjacent_find(generations.begin(), generations.end()) == generations.end());
}

template <class Storage>
void writes(Storage storage) {
  put(storage, "k", "old and long");
  put(storage, "k", "new");
  CHECK(content(storage, "k") == "new");
  if (storage.capabilities().put_if_absent) {
    check_kind(storage.put("k", bytes_of("other"), loupe::PutMode::if_absent), loupe::ErrorKind::already_exists);
    CHECK(content(storage, "k") == "new");
    REQUIRE(storage.put("new/k", bytes_of("first"), loupe::PutMode::if_absent));
    CHECK(content(storage, "new/k") == "first");
  }
  REQUIRE(storage.remove("k"));
  check_kind(storage.stat("k"), loupe::ErrorKind::not_found);
  REQUIRE(storage.remove("k"));
  REQUIRE(storage.remove("new"));
  REQUIRE(storage.remove("k/below"));
  put(storage, "k", "again");
  CHECK(content(storage, "k") == "again");
}

template <class Storage>
void staging(Storage storage) {
  using loupe::ErrorKind;
  {
    auto staged = storage.stage("folder/object");
    REQUIRE(staged);
    CHECK(staged->append(bytes_of("0123")).value() == 0);
    CHECK(staged->append({}).value() == 4);
    CHECK(staged->append(bytes_of("45")).value() == 4);
    CHECK(listed(storage).empty());
    check_kind(storage.stat("folder/object"), ErrorKind::not_found);
    typename Storage::Staged moved = *std::move(staged);
    CHECK(moved.append(bytes_of("6")).value() == 6);
    REQUIRE(moved.commit());
    CHECK(content(storage, "folder/object") == "0123456");
    check_kind(moved.commit(), ErrorKind::invalid_state);
    check_kind(moved.append(bytes_of("7")), ErrorKind::invalid_state);
  }
  CHECK(content(storage, "folder/object") == "0123456");
  {
    auto dropped = storage.stage("folder/object");
    REQUIRE(dropped);
    REQUIRE(dropped->append(bytes_of("unwanted")));
    CHECK(content(storage, "folder/object") == "0123456");
  }
  CHECK(content(storage, "folder/object") == "0123456");
  REQUIRE(storage.stage("never"));
  CHECK(listed(storage) == Keys{"folder/object"});
  auto empty = storage.stage("empty");
  REQUIRE(empty->commit());
  CHECK(storage.stat("empty")->size == 0);

  // Two at once of one key: each publishes its own bytes, whole.
  auto first = storage.stage("folder/object");
  auto second = storage.stage("folder/object");
  REQUIRE((first && second));
  REQUIRE(first->append(bytes_of("first")));
  REQUIRE(second->append(bytes_of("second one")));
  REQUIRE(first->commit());
  CHECK(content(storage, "folder/object") == "first");
  REQUIRE(second->commit());
  CHECK(content(storage, "folder/object") == "second one");
}

template <class Storage>
void hostile_keys(Storage storage) {
  std::string deep;
  while (deep.size() < 5000) deep += "folder/";
  for (const std::string& key :
       {std::string(), std::string("/a"), std::string("/"), std::string("a//b"), std::string("a/"), std::string("."),
        std::string(".."), std::string("a/../b"), std::string("./a"), std::string("a/."), std::string("a/.."),
        std::string("a\0b", 3), std::string(5000, 'k'), deep + "k", std::string(248, 'k'),
        "a/" + std::string(300, 'k') + "/b"}) {
    INFO(key);
    loupe::ByteBuffer bytes;
    check_kind(storage.stat(key), loupe::ErrorKind::invalid_argument);
    check_kind(storage.read(key, {}, bytes), loupe::ErrorKind::invalid_argument);
    check_kind(storage.put(key, {}, loupe::PutMode::replace), loupe::ErrorKind::invalid_argument);
    check_kind(storage.put(key, {}, loupe::PutMode::if_absent), loupe::ErrorKind::invalid_argument);
    check_kind(storage.remove(key), loupe::ErrorKind::invalid_argument);
    check_kind(storage.stage(key), loupe::ErrorKind::invalid_argument);
  }
  CHECK(listed(storage).empty());
  // Odd, and allowed.
  const std::string longest(247, 'k');
  for (const std::string& key : {std::string("..."), std::string(".hidden"), std::string("a b/c:d"), std::string("\\"),
                                 std::string("-rf *"), std::string("\x01\xff\n"), longest, longest + "/" + longest}) {
    if (key == longest + "/" + longest) REQUIRE(storage.remove(longest));
    INFO(key);
    put(storage, key, key);
    CHECK(content(storage, key) == key);
  }
}

/// Threads that write one key: readers see one of the contents, whole.
template <class Storage>
void races(Storage storage) {
  if (storage.capabilities().put_if_absent) {
    std::array<int, 8> won{};
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < won.size(); ++number)
      threads.emplace_back([copy = storage, number, &won]() mutable {
        const std::string text(1000 + number, static_cast<char>('a' + number));
        won[number] = copy.put("race/once", bytes_of(text), loupe::PutMode::if_absent) ? 1 : 0;
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(std::ranges::count(won, 1) == 1);
    const auto winner = static_cast<std::size_t>(std::ranges::find(won, 1) - won.begin());
    CHECK(content(storage, "race/once") == std::string(1000 + winner, static_cast<char>('a' + winner)));
  }
  if (storage.capabilities().atomic_put) {
    put(storage, "race/often", std::string(1000, 'a'));
    std::array<int, 6> failures{};
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < failures.size(); ++number)
      threads.emplace_back([copy = storage, number, &failures]() mutable {
        const std::string text(1000 * (number + 1), static_cast<char>('a' + number));
        for (int round = 0; round < 30; ++round) {
          if (!copy.put("race/often", bytes_of(text), loupe::PutMode::replace)) ++failures[number];
          loupe::ByteBuffer bytes;
          const bool is_read = copy.read("race/often", {}, bytes).has_value();
          const std::string_view read = std::as_const(bytes).text();
          if (!is_read || read.empty() || read.size() != 1000 * static_cast<std::size_t>(read[0] - 'a' + 1) ||
              read.find_first_not_of(read[0]) != std::string_view::npos)
            ++failures[number];
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == std::array<int, 6>{});
  }
  CHECK(std::ranges::all_of(listed(storage),
                            [](const std::string& key) { return key == "race/once" || key == "race/often"; }));
}

/// Random operations, held against a map.
template <class Storage>
void random_operations(Storage storage) {
  const Keys keys{"a", "b/a", "b/b", "b/b0", "b-", "c/d/e/f", "c/d/e/g", "c/d0"};
  std::map<std::string, std::string> model;
  std::mt19937 random(20261201);
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  for (int round = 0; round < 600; ++round) {
    const std::string& key = keys[below(keys.size())];
    const std::string text(below(300), static_cast<char>('a' + below(26)));
    const auto found = model.find(key);
    switch (below(6)) {
      case 0:
        put(storage, key, text);
        model[key] = text;
        break;
      case 1: {
        const bool is_new = storage.put(key, bytes_of(text), loupe::PutMode::if_absent).has_value();
        CHECK(is_new == (found == model.end()));
        if (is_new) model[key] = text;
        break;
      }
      case 2: {
        auto staged = storage.stage(key);
        REQUIRE(staged);
        REQUIRE(staged->append(bytes_of(text)));
        CHECK(staged->append(bytes_of("end")).value() == text.size());
        if (below(3) == 0) break;
        REQUIRE(staged->commit());
        model[key] = text + "end";
        break;
      }
      case 3:
        REQUIRE(storage.remove(key));
        model.erase(key);
        break;
      case 4:
        if (found == model.end()) {
          check_kind(storage.stat(key), loupe::ErrorKind::not_found);
        } else {
          CHECK(storage.stat(key)->size == found->second.size());
          const std::size_t offset = below(found->second.size() + 1);
          const std::size_t length = below(300);
          CHECK(content(storage, key, {offset, length}) == found->second.substr(offset, length));
        }
        break;
      default: {
        const std::string prefix = key.substr(0, below(key.size() + 1));
        const std::string start_after = keys[below(keys.size())].substr(0, below(8));
        Keys expected;
        for (const auto& [present, unused] : model)
          if (present.starts_with(prefix) && present > start_after) expected.push_back(present);
        CHECK(listed(storage, prefix, start_after) == expected);
      }
    }
  }
  for (const auto& [key, text] : model) CHECK(content(storage, key) == text);
}

}  // namespace storage_conformance_detail

/// Runs the suite; `make` gives a new empty storage at each call. Copies of a storage must share its objects.
template <class Make>
void storage_conformance(Make&& make) {
  namespace suite = storage_conformance_detail;
  using Storage = std::remove_cvref_t<decltype(make())>;
  static_assert(loupe::Storage<Storage>);
  CHECK_FALSE(loupe::Text(make().name()).empty());
  SECTION("listings are in order, filtered by prefix and start") { suite::listings<Storage>(make()); }
  SECTION("parts of objects are read, clipped at the end") { suite::reads<Storage>(make()); }
  SECTION("stat tells size and generation") { suite::facts<Storage>(make()); }
  SECTION("objects are replaced, created once, removed") { suite::writes<Storage>(make()); }
  SECTION("staged objects appear whole with their commit, or never") { suite::staging<Storage>(make()); }
  SECTION("keys that are no relative paths in canonical form are refused") { suite::hostile_keys<Storage>(make()); }
  SECTION("of several writers one wins, and none is seen half done") { suite::races<Storage>(make()); }
  SECTION("random operations do what a map does") { suite::random_operations<Storage>(make()); }
}
