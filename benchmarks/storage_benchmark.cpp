// What a storage adds to the system calls that it can't do without.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "loupe/storage/local.hpp"
#include "ratio.hpp"
#include "temporary_folder.hpp"

namespace {

using benchmarks::Rounds;
using benchmarks::TemporaryFolder;

constexpr std::size_t large = std::size_t{16} << 20;

void write_new_file(const std::string& path, std::span<const std::byte> bytes, benchmark::State& state) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) || ::close(file) != 0)
    state.SkipWithError("write() failed");
}

void putting_16_mb(benchmark::State& state) {
  const TemporaryFolder folder;
  const loupe::LocalStorage storage(folder.path());
  const std::vector<std::byte> bytes(large, std::byte{42});
  Rounds rounds(state);
  for (auto _ : state) {
    rounds.play([&] { write_new_file(folder.path() + "/plain.bin", bytes, state); },
                [&] {
                  if (!storage.put("object.bin", bytes, loupe::PutMode::replace)) state.SkipWithError("put failed");
                });
    folder.remove_files(".bin");
  }
  rounds.promise_speed(0.8);
}
BENCHMARK(putting_16_mb)->Name("16 MB put, against write() to a new file")->Apply(benchmarks::interleaved);

constexpr int small_files = 1000;
std::string small_key(int number) { return "index/" + std::to_string(number) + ".json"; }

void reading_small_objects(benchmark::State& state) {
  const TemporaryFolder folder;
  const loupe::LocalStorage storage(folder.path());
  const std::vector<std::byte> bytes(2000, std::byte{42});
  for (int number = 0; number < small_files; ++number)
    if (!storage.put(small_key(number), bytes, loupe::PutMode::replace)) state.SkipWithError("put failed");
  std::vector<std::byte> plain;
  loupe::ByteBuffer buffer;
  Rounds rounds(state, small_files);
  for (auto _ : state)
    rounds.play(
        [&] {
          for (int number = 0; number < small_files; ++number) {
            const int file = ::open((folder.path() + "/" + small_key(number)).c_str(), O_RDONLY | O_CLOEXEC);
            struct stat about{};
            if (file < 0 || ::fstat(file, &about) != 0) return state.SkipWithError("open() failed");
            plain.resize(static_cast<std::size_t>(about.st_size));
            if (::read(file, plain.data(), plain.size()) != about.st_size) state.SkipWithError("read() failed");
            ::close(file);
          }
        },
        [&] {
          for (int number = 0; number < small_files; ++number) {
            buffer.clear();
            if (!storage.read(small_key(number), {}, buffer)) state.SkipWithError("read failed");
          }
        });
  rounds.promise_time(1.25);
}
BENCHMARK(reading_small_objects)
    ->Name("2 KB object read, against open, fstat, read, close")
    ->Apply(benchmarks::interleaved);

void listing(benchmark::State& state) {
  constexpr int files = 8000;
  const TemporaryFolder folder;
  const loupe::LocalStorage storage(folder.path());
  std::vector<std::string> folders;
  for (int number = 0; number < files; ++number) {
    const std::string name = "index/" + std::to_string(100000000 + number / 1000);
    if (number % 1000 == 0) folders.push_back(folder.path() + "/" + name);
    if (!storage.put(name + "/" + std::to_string(1000000000 + number) + "_worker_0.json", {}, loupe::PutMode::replace))
      state.SkipWithError("put failed");
  }
  Rounds rounds(state, files);
  for (auto _ : state)
    rounds.play(
        [&] {
          for (const std::string& path : folders) {
            DIR* const directory = ::opendir(path.c_str());
            if (directory == nullptr) return state.SkipWithError("opendir() failed");
            std::vector<std::string> names;
            while (const dirent* entry = ::readdir(directory))
              if (entry->d_type == DT_REG) names.emplace_back(entry->d_name);
            ::closedir(directory);
            std::sort(names.begin(), names.end());
            benchmark::DoNotOptimize(names.data());
          }
        },
        [&] {
          int count = 0;
          const auto outcome = storage.list("index/", {}, [&](const loupe::ObjectInfo&) { return ++count, true; });
          if (!outcome || count != files) state.SkipWithError("list failed");
        });
  rounds.promise_time(2);
}
BENCHMARK(listing)->Name("8000 objects listed, against readdir and sort")->Apply(benchmarks::interleaved);

}  // namespace
