#include "loupe/storage/memory.hpp"

#include "support/catch.hpp"
#include "support/storage_conformance.hpp"

using loupe::MemoryStorage;

TEST_CASE("memory is a storage") {
  storage_conformance([] { return MemoryStorage(); });
}

TEST_CASE("copies of a memory storage share its objects, others don't see them") {
  MemoryStorage storage;
  MemoryStorage copy = storage;
  REQUIRE(copy.put("key", {}, loupe::PutMode::replace));
  CHECK(storage.stat("key"));
  CHECK_FALSE(MemoryStorage().stat("key"));
}

TEST_CASE("mapped objects keep their bytes when they are replaced, removed, or their storage goes") {
  loupe::MappedBytes mapped;
  {
    MemoryStorage storage;
    const std::string_view text = "old bytes";
    REQUIRE(storage.put("key", std::as_bytes(std::span(text)), loupe::PutMode::replace));
    mapped = storage.map("key").value();
    REQUIRE(storage.put("key", {}, loupe::PutMode::replace));
    CHECK(storage.map("key")->bytes().empty());
    REQUIRE(storage.remove("key"));
    CHECK(storage.map("key").error().kind == loupe::ErrorKind::not_found);
  }
  CHECK(std::string_view(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()) == "old bytes");
}

TEST_CASE("objects that a listing's sink adds behind the present one are listed, in any case without a deadlock") {
  MemoryStorage storage;
  REQUIRE(storage.put("a", {}, loupe::PutMode::replace));
  std::vector<std::string> keys;
  REQUIRE(storage.list({}, {}, [&](const loupe::ObjectInfo& object) {
    keys.emplace_back(object.key);
    if (keys.size() < 4) REQUIRE(storage.put(keys.back() + "a", {}, loupe::PutMode::replace));
    return true;
  }));
  CHECK(keys == std::vector<std::string>{"a", "aa", "aaa", "aaaa"});
}
