#include "loupe/rules/writer_process.hpp"

#include <span>
#include <string_view>

#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"

TEST_CASE("a writer is gone if the process of this host that has claimed the folder no longer runs") {
  const loupe::AnyStorage storage{loupe::MemoryStorage()};
  const auto claim = [&](const loupe::Text& line) {
    REQUIRE(storage.put(loupe::format::claim_key, std::as_bytes(std::span(line.view())), loupe::PutMode::replace));
    return loupe::rules::writer_is_gone(storage);
  };
  CHECK_FALSE(loupe::rules::writer_is_gone(storage));
  loupe::ClaimOwner owner = loupe::ClaimOwner::this_process();
  CHECK_FALSE(claim(owner.line()));
  CHECK_FALSE(claim("something else"));
  owner.pid = INT64_MAX / 2;
  CHECK(claim(owner.line()));
  owner.host = "elsewhere";
  CHECK_FALSE(claim(owner.line()));
}
