#include "loupe/storage/local.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

using loupe::ErrorKind;
using loupe::LocalStorage;
using loupe::PutMode;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string content(const LocalStorage& storage, std::string_view key) {
  loupe::ByteBuffer bytes;
  REQUIRE(storage.read(key, {}, bytes));
  return std::string(bytes.text());
}

/// Becomes a user whom permissions bind; the superuser's processes ignore them.
void give_up_privileges() {
  if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
}

/// The exit status of a child that says whether all was as expected.
template <class Body>
int status_of(Body&& body) {
  return ChildProcess([&] {
           if (!body()) ::_exit(2);
         })
      .wait();
}

}  // namespace

TEST_CASE(
    "a directory that must not be read is an error when it is listed, and what it hides an error when it is read") {
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  const LocalStorage storage(folder.path());
  REQUIRE(storage.put("open/a", {}, PutMode::replace));
  REQUIRE(storage.put("secret/a", {}, PutMode::replace));
  REQUIRE(::chmod((folder.path() + "/secret").c_str(), 0) == 0);
  CHECK(status_of([&] {
          give_up_privileges();
          loupe::ByteBuffer bytes;
          const auto everything = storage.list({}, {}, [](const auto&) { return true; });
          const auto read = storage.read("secret/a", {}, bytes);
          return !everything && everything.error().kind == ErrorKind::permission_denied &&
                 everything.error().object == "secret/" &&
                 storage.list("open/", {}, [](const auto&) { return true; }) && !read &&
                 read.error().kind == ErrorKind::permission_denied;
        }) == 0);
  REQUIRE(::chmod((folder.path() + "/secret").c_str(), 0755) == 0);
}

TEST_CASE("a folder that must not be written to is an error") {
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
  CHECK(status_of([&] {
          give_up_privileges();
          const LocalStorage storage(folder.path());
          const auto direct = storage.put("a", {}, PutMode::replace);
          const auto below = storage.put("new/a", {}, PutMode::if_absent);
          return !direct && direct.error().kind == ErrorKind::permission_denied && !below &&
                 below.error().kind == ErrorKind::permission_denied;
        }) == 0);
  CHECK(folder.files().empty());
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
}

TEST_CASE("a write that stops half way leaves the old object and no other file") {
  const TemporaryFolder folder;
  const LocalStorage storage(folder.path());
  REQUIRE(storage.put("a", bytes_of("old"), PutMode::replace));
  CHECK(status_of([&] {
          const rlimit limit{4096, 4096};
          if (::setrlimit(RLIMIT_FSIZE, &limit) != 0 || std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) return false;
          const std::string large(10'000, 'x');
          const auto refused = storage.put("a", bytes_of(large), PutMode::replace);
          if (refused || refused.error().kind != ErrorKind::io || refused.error().os_error != EFBIG) return false;
          if (storage.put("b", bytes_of(large), PutMode::if_absent)) return false;
          auto staged = storage.stage("a");
          if (!staged->append(bytes_of("begin")) || staged->append(bytes_of(large))) return false;
          // What follows a failure would be at a wrong place.
          const auto after = staged->append(bytes_of("x"));
          const auto commit = staged->commit();
          return !after && after.error().kind == ErrorKind::invalid_state && !commit &&
                 commit.error().kind == ErrorKind::invalid_state;
        }) == 0);
  CHECK(folder.files() == std::vector<std::string>{"a"});
  CHECK(content(storage, "a") == "old");
}

TEST_CASE("a killed writer leaves old objects or new ones, whole, and the next one isn't hindered") {
  const TemporaryFolder folder;
  const LocalStorage storage(folder.path());
  constexpr int kills = 30;
  for (int round = 0; round < kills; ++round) {
    ChildProcess writer([&](int said) {
      for (int turn = 0;; ++turn) {
        const std::string text(static_cast<std::size_t>(1 + turn % 7) * 5000, static_cast<char>('a' + turn % 7));
        const auto mode = turn % 3 == 0 ? PutMode::if_absent : PutMode::replace;
        if (turn % 3 == 0) (void)storage.remove("a");
        if (!storage.put("a", bytes_of(text), mode)) ::_exit(3);
        if (::write(said, ".", 1) != 1) ::_exit(4);
      }
    });
    char dots[64];
    REQUIRE(writer.read(dots, static_cast<std::size_t>(1 + round % 40), 60'000) > 0);
    writer.kill();
    if (!storage.stat("a")) continue;  // killed behind its removal
    const std::string text = content(storage, "a");
    REQUIRE_FALSE(text.empty());
    CHECK(text.size() == static_cast<std::size_t>(text[0] - 'a' + 1) * 5000);
    CHECK(text.find_first_not_of(text[0]) == std::string::npos);
  }
  REQUIRE(storage.put("a", bytes_of("last"), PutMode::replace));
  CHECK(folder.files() == std::vector<std::string>{"a"});
  CHECK(content(storage, "a") == "last");
}

TEST_CASE("processes that write one key at once don't disturb each other") {
  const TemporaryFolder folder;
  const LocalStorage storage(folder.path());
  const auto write_often = [&](char letter) {
    return [&storage, letter] {
      for (int round = 0; round < 200; ++round)
        if (!storage.put("a", bytes_of(std::string(3000, letter)), PutMode::replace)) ::_exit(2);
    };
  };
  ChildProcess first(write_often('a'));
  ChildProcess second(write_often('b'));
  CHECK(first.wait() == 0);
  CHECK(second.wait() == 0);
  const std::string text = content(storage, "a");
  CHECK((text == std::string(3000, 'a') || text == std::string(3000, 'b')));
  CHECK(folder.files() == std::vector<std::string>{"a"});
}
