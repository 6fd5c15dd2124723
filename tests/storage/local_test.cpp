#include "loupe/storage/local.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "support/catch.hpp"
#include "support/sanitizer.hpp"
#include "support/storage_conformance.hpp"
#include "support/temporary_folder.hpp"

using loupe::Durability;
using loupe::ErrorKind;
using loupe::LocalStorage;
using loupe::PutMode;

namespace {

using Keys = std::vector<std::string>;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

void put(const LocalStorage& storage, std::string_view key, std::string_view text) {
  REQUIRE(storage.put(key, bytes_of(text), PutMode::replace));
}

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

Keys listed(const LocalStorage& storage, std::string_view prefix = {}) {
  Keys keys;
  REQUIRE(
      storage.list(prefix, {}, [&](const loupe::ObjectInfo& object) { return keys.emplace_back(object.key), true; }));
  return keys;
}

Keys unfinished(const LocalStorage& storage, std::string_view prefix = {}) {
  Keys keys;
  REQUIRE(storage.list_unfinished(
      prefix, [&](const loupe::ObjectInfo& object) { return keys.emplace_back(object.key), true; }));
  return keys;
}

/// A storage in a folder of its own.
struct Folder {
  TemporaryFolder folder;
  std::string root = folder.path() + "/runs/1";
  LocalStorage storage{root};
  [[nodiscard]] std::string path(std::string_view key) const { return std::string(root).append("/").append(key); }
};

}  // namespace

TEST_CASE("the local file system is a storage, at every durability") {
  std::vector<std::unique_ptr<TemporaryFolder>> folders;
  const auto durability = GENERATE(Durability::none, Durability::data, Durability::data_and_directory);
  // Synchronising a thousand files takes a disk its time.
  if (durability == Durability::none)
    storage_conformance([&] {
      folders.push_back(std::make_unique<TemporaryFolder>());
      return LocalStorage(folders.back()->path() + "/runs/1", durability);
    });
  const TemporaryFolder folder;
  const LocalStorage storage(folder.path() + "/new/runs/1", durability);
  put(storage, "a/b/c", "text");
  REQUIRE(storage.put("a/b/d", bytes_of("more"), PutMode::if_absent));
  CHECK(folder.files() == Keys{"new/runs/1/a/b/c", "new/runs/1/a/b/d"});
  CHECK(file_content(folder.path() + "/new/runs/1/a/b/c") == "text");
}

TEST_CASE("a storage is named after its folder, and one without a name is the working directory") {
  CHECK(LocalStorage("/runs/1").name() == "/runs/1");
  CHECK(LocalStorage("").name() == ".");
}

TEST_CASE("a missing folder lists nothing and is created by the first write, again if somebody removed it") {
  const Folder folder;
  CHECK(listed(folder.storage).empty());
  CHECK_FALSE(std::filesystem::exists(folder.root));
  put(folder.storage, "events/1/a", "first");
  std::filesystem::remove_all(folder.root);
  CHECK(listed(folder.storage).empty());
  put(folder.storage, "events/1/a", "second");
  CHECK(file_content(folder.path("events/1/a")) == "second");
}

TEST_CASE("unfinished files are never listed as objects, and can be listed and removed as what they are") {
  const Folder folder;
  auto staged = folder.storage.stage("a/b");
  REQUIRE(staged);
  put(folder.storage, "a/c", "");
  CHECK(folder.folder.files() == Keys{"runs/1/a/b.tmp", "runs/1/a/c"});
  CHECK(listed(folder.storage) == Keys{"a/c"});
  CHECK(unfinished(folder.storage) == Keys{"a/b.tmp"});
  CHECK(unfinished(folder.storage, "a/c").empty());
  REQUIRE(folder.storage.remove("a/b.tmp"));
  CHECK(unfinished(folder.storage).empty());
  // Whose file was taken away must not take the next writer's.
  auto next = folder.storage.stage("a/b");
  REQUIRE(next->append(bytes_of("next")));
  REQUIRE_FALSE(folder.storage.put("x.tmp", {}, PutMode::replace));
  CHECK(folder.storage.put("x.tmp", {}, PutMode::if_absent).error().kind == ErrorKind::invalid_argument);
  REQUIRE(next->commit());
  CHECK(file_content(folder.path("a/b")) == "next");
}

TEST_CASE("what stands where the temporary file is to stand is replaced, and nothing is written through it") {
  for (const auto mode : {PutMode::replace, PutMode::if_absent})
    for (const std::string_view leftover :
         {"file", "link", "link to nothing", "name of another file", "name of the object", "FIFO"}) {
      INFO(leftover);
      const Folder folder;
      put(folder.storage, "a", "old");
      const std::string temporary = folder.path("a.tmp");
      const std::string outside = folder.folder.path() + "/outside";
      write_file(outside, "untouched");
      if (leftover == "file") write_file(temporary, "half a record, and longer than what follows");
      if (leftover == "link") std::filesystem::create_symlink(outside, temporary);
      if (leftover == "link to nothing") std::filesystem::create_symlink(outside + "/nothing", temporary);
      if (leftover == "name of another file") std::filesystem::create_hard_link(outside, temporary);
      if (leftover == "name of the object") std::filesystem::create_hard_link(folder.path("a"), temporary);
      if (leftover == "FIFO") REQUIRE(::mkfifo(temporary.c_str(), 0600) == 0);
      if (mode == PutMode::if_absent) REQUIRE(folder.storage.remove("a"));
      REQUIRE(folder.storage.put("a", bytes_of("new"), mode));
      CHECK(file_content(folder.path("a")) == "new");
      CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.path("a"))));
      CHECK(file_content(outside) == "untouched");
      CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(temporary)));
    }
}

TEST_CASE("a file whose name a crash has left twice keeps its bytes when the second name is written anew") {
  const Folder folder;
  put(folder.storage, "a", "old");
  std::filesystem::create_hard_link(folder.path("a"), folder.path("a.tmp"));
  auto staged = folder.storage.stage("a");
  REQUIRE(staged->append(bytes_of("new")));
  CHECK(file_content(folder.path("a")) == "old");
}

TEST_CASE("a temporary file that another writer holds is left to him") {
  const Folder folder;
  auto first = folder.storage.stage("a");
  auto second = folder.storage.stage("a");
  REQUIRE((first && second));
  CHECK(unfinished(folder.storage) == Keys{"a.1.tmp", "a.tmp"});
  REQUIRE(second->append(bytes_of("second")));
  REQUIRE(second->commit());
  REQUIRE(first->append(bytes_of("first")));
  REQUIRE(first->commit());
  CHECK(file_content(folder.path("a")) == "first");
  CHECK(unfinished(folder.storage).empty());
}

TEST_CASE("a directory in the place of a temporary file is passed by") {
  const Folder folder;
  std::filesystem::create_directories(folder.path("a.tmp"));
  put(folder.storage, "a", "text");
  CHECK(file_content(folder.path("a")) == "text");
}

TEST_CASE("links and whatever else is not a file are passed over by listings") {
  const Folder folder;
  put(folder.storage, "a/file", "text");
  std::filesystem::create_symlink(folder.path("a/file"), folder.path("a/link"));
  std::filesystem::create_symlink(folder.path("a"), folder.path("linked_folder"));
  std::filesystem::create_symlink(folder.root, folder.path("loop"));
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  CHECK(listed(folder.storage) == Keys{"a/file"});
}

TEST_CASE("a folder that is reached through a link is one like others") {
  const Folder folder;
  put(folder.storage, "a/file", "text");
  const std::string link = folder.folder.path() + "/link";
  std::filesystem::create_symlink(folder.root, link);
  CHECK(listed(LocalStorage(link)) == Keys{"a/file"});
}

TEST_CASE("a directory or FIFO in the place of an object is no object") {
  const Folder folder;
  put(folder.storage, "directory/object", "text");
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  for (const std::string_view key : {"directory", "fifo", "directory/object/below"}) {
    INFO(key);
    loupe::ByteBuffer bytes;
    CHECK(folder.storage.stat(key).error().kind == ErrorKind::not_found);
    CHECK(folder.storage.read(key, {}, bytes).error().kind == ErrorKind::not_found);
    CHECK(folder.storage.map(key).error().kind == ErrorKind::not_found);
  }
  REQUIRE(folder.storage.remove("directory"));
  const auto over_directory = folder.storage.put("directory", {}, PutMode::replace);
  REQUIRE_FALSE(over_directory);
  CHECK(over_directory.error().os_error == EISDIR);
  CHECK(folder.storage.put("directory", {}, PutMode::if_absent).error().kind == ErrorKind::already_exists);
  CHECK(folder.storage.put("directory/object/below", {}, PutMode::replace).error().os_error == ENOTDIR);
  CHECK(listed(folder.storage) == Keys{"directory/object"});
  CHECK(unfinished(folder.storage).empty());
}

TEST_CASE("an error names the object, the action and the system's reason") {
  const Folder folder;
  const auto error = folder.storage.stat("events/a").error();
  CHECK(error.object == "events/a");
  CHECK(error.os_error == ENOENT);
  CHECK_FALSE(error.detail.empty());
  loupe::ByteBuffer bytes;
  put(folder.storage, "short", "four");
  CHECK(folder.storage.read("short", {5, 1}, bytes).error().offset == 4);
}

#ifndef LOUPE_SEPARATE_COMPILATION  // the function is known where the bodies are
TEST_CASE("what the system refuses becomes an error of its kind") {
  const auto kind = [](int number) { return loupe::detail::system_failure("key", "path", "it failed", number).error().kind; };
  CHECK(kind(ENOSPC) == ErrorKind::no_space);
  CHECK(kind(EDQUOT) == ErrorKind::no_space);
  CHECK(kind(EACCES) == ErrorKind::permission_denied);
  CHECK(kind(EROFS) == ErrorKind::permission_denied);
  CHECK(kind(ENOENT) == ErrorKind::not_found);
  CHECK(kind(EEXIST) == ErrorKind::already_exists);
  CHECK(kind(EIO) == ErrorKind::io);
}
#endif

TEST_CASE("a mapping survives the replacement and the removal of its file") {
  const Folder folder;
  const std::string old(100'000, 'o');
  put(folder.storage, "a", old);
  const auto mapped = folder.storage.map("a");
  REQUIRE(mapped);
  put(folder.storage, "a", "new");
  CHECK(std::ranges::equal(mapped->bytes(), bytes_of(old)));
  CHECK(std::ranges::equal(folder.storage.map("a")->bytes(), bytes_of("new")));
  REQUIRE(folder.storage.remove("a"));
  const loupe::MappedBytes copy = *mapped;
  CHECK(std::ranges::equal(copy.bytes(), bytes_of(old)));
  put(folder.storage, "empty", "");
  CHECK(folder.storage.map("empty")->bytes().empty());
  CHECK(folder.storage.map("missing").error().kind == ErrorKind::not_found);
}

TEST_CASE("of a file larger than any memory a part can be read, and all of it is an error") {
  const Folder folder;
  put(folder.storage, "sparse", "");
  REQUIRE(::truncate(folder.path("sparse").c_str(), off_t{1} << 43) == 0);
  loupe::ByteBuffer bytes;
  REQUIRE(folder.storage.read("sparse", {std::uint64_t{1} << 42, 3}, bytes));
  CHECK(bytes.size() == 3);
  if constexpr (!huge_allocations_end_the_process)
    CHECK(folder.storage.read("sparse", {}, bytes).error().kind == ErrorKind::limit_exceeded);
}
