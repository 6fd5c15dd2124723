#include "loupe/storage/concept.hpp"

#include <string>

#include "storage/archetype.hpp"
#include "support/catch.hpp"

using loupe::check_key;
using loupe::ErrorKind;

static_assert(loupe::Storage<SmallestStorage>);

namespace {

struct ThrowingCapabilities : SmallestStorage {
  loupe::Capabilities capabilities() const { return {}; }
};
struct NoName : SmallestStorage {
  void name() const {}
};
struct ListWithoutStart : SmallestStorage {
  loupe::result<void> list(std::string_view, loupe::ListSink) { return {}; }
};
struct StatOfASize : SmallestStorage {
  loupe::result<std::uint64_t> stat(std::string_view) { return std::uint64_t{0}; }
};
struct ReadOfEverything : SmallestStorage {
  loupe::result<void> read(std::string_view, loupe::ByteBuffer&) { return {}; }
};
struct PutWithoutMode : SmallestStorage {
  loupe::result<void> put(std::string_view, std::span<const std::byte>) { return {}; }
};
struct SilentRemove : SmallestStorage {
  void remove(std::string_view) {}
};
struct OtherStaged : SmallestStorage {
  struct Staged : SmallestStorage::Staged {};
};
struct AppendWithoutOffset : SmallestStorage {
  struct Staged : SmallestStorage::Staged {
    loupe::result<void> append(std::span<const std::byte>) { return {}; }
  };
  loupe::result<Staged> stage(std::string_view) { return Staged(); }
};

}  // namespace

static_assert(!loupe::Storage<int>);
static_assert(!loupe::Storage<const SmallestStorage>);
static_assert(!loupe::Storage<ThrowingCapabilities>);
static_assert(!loupe::Storage<NoName>);
static_assert(!loupe::Storage<ListWithoutStart>);
static_assert(!loupe::Storage<StatOfASize>);
static_assert(!loupe::Storage<ReadOfEverything>);
static_assert(!loupe::Storage<PutWithoutMode>);
static_assert(!loupe::Storage<SilentRemove>);
static_assert(!loupe::Storage<OtherStaged>);
static_assert(!loupe::Storage<AppendWithoutOffset>);

TEST_CASE("keys are relative paths in canonical form, of bounded length") {
  for (const std::string& key : {std::string("a"), std::string("a/b.c"), std::string("..."), std::string("a/..b"),
                                 std::string(247, 'k'), std::string("\xff\x01")})
    CHECK(check_key(key));
  for (const std::string& key :
       {std::string(), std::string("/"), std::string("/a"), std::string("a/"), std::string("a//b"), std::string("."),
        std::string("a/./b"), std::string("../a"), std::string("a/.."), std::string("\0", 1), std::string(248, 'k'),
        std::string(4097, 'k')}) {
    const auto outcome = check_key(key);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind == ErrorKind::invalid_argument);
  }
  std::string longest(247, 'k');
  while (longest.size() + 2 <= loupe::max_key_size) longest += "/k";
  CHECK(check_key(longest));
  CHECK_FALSE(check_key(longest + "/k"));
}

TEST_CASE("the error about a key quotes only its beginning") {
  CHECK(check_key(std::string(100'000, 'k')).error().object.view() == std::string(256, 'k'));
}

TEST_CASE("a range is the whole object unless it says otherwise, and nothing is promised unless a storage says so") {
  CHECK(loupe::ByteRange().offset == 0);
  CHECK(loupe::ByteRange().length == UINT64_MAX);
  const auto promised = SmallestStorage().capabilities();
  CHECK_FALSE((promised.atomic_put || promised.put_if_absent || promised.ordered_list || promised.range_read ||
               promised.append || promised.map || promised.asynchronous));
}
