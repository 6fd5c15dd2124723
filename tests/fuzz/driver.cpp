/// @file
/// A main function for fuzz targets where there is no libFuzzer: seeds, then blind mutations of them.
#include "fuzz/driver.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// Set by the sanitizers, where the program was built with one.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t longest_input = std::size_t{1} << 16;
constexpr unsigned seconds_for_one_input = 30;
constexpr const char* crash_file = "crash-input";

Input current;  ///< what the target is working on, for the handlers below

void keep_current() {
  const int file = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  const bool is_kept = write(file, current.data(), current.size()) == static_cast<ssize_t>(current.size());
  close(file);
  constexpr std::string_view kept = "fuzz: the input is in the file crash-input\n";
  if (is_kept) static_cast<void>(!write(STDERR_FILENO, kept.data(), kept.size()));
}

void on_signal(int signal) {
  keep_current();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(Input input) {
  current = std::move(input);
  alarm(seconds_for_one_input);
  // A copy of the exact size, so that a sanitizer sees each byte read beyond it.
  const Input exact(current);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  alarm(0);
}

Input read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "fuzz: can't read %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The files named, and those in the folders named, in the order of their names.
std::vector<Input> read_seeds(const std::vector<std::string>& places) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& place : places) {
    if (!std::filesystem::is_directory(place)) {
      paths.emplace_back(place);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place))
      if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> seeds;
  for (const auto& path : paths) seeds.push_back(read_file(path));
  return seeds;
}

class Mutator {
 public:
  Mutator(const std::vector<Input>& seeds, std::uint64_t seed) : seeds_(seeds), random_(seed) {}

  Input next() {
    Input input = pick_seed();
    for (std::size_t change = std::size_t{1} << below(5); change-- > 0;) mutate(input);
    if (input.size() > longest_input) input.resize(longest_input);
    return input;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(random_() % bound); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
  Input pick_seed() { return seeds_.empty() ? Input() : seeds_[below(seeds_.size())]; }

  void mutate(Input& input) {
    const std::size_t place = below(input.size() + 1);
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(place);
    const std::size_t rest = input.size() - place;
    switch (below(9)) {
      case 0:
        if (rest > 0) *at = static_cast<std::uint8_t>(*at ^ (1u << below(8)));
        break;
      case 1:
        if (rest > 0) *at = byte();
        break;
      case 2: overwrite_number(input, place); break;
      case 3: input.erase(at, at + static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(rest, 16) + 1))); break;
      case 4: input.insert(at, 1 + below(8), byte()); break;
      case 5: {  // a piece of itself
        const std::size_t from = below(input.size() + 1);
        const std::size_t count = below(std::min<std::size_t>(input.size() - from, 64) + 1);
        const Input piece(input.begin() + static_cast<std::ptrdiff_t>(from),
                          input.begin() + static_cast<std::ptrdiff_t>(from + count));
        input.insert(at, piece.begin(), piece.end());
        break;
      }
      case 6: {  // the rest of another seed
        const Input other = pick_seed();
        const std::size_t from = below(other.size() + 1);
        input.erase(at, input.end());
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        break;
      }
      case 7: input.erase(at, input.end()); break;
      default:  // a neighbouring number
        if (rest > 0) *at = static_cast<std::uint8_t>(*at + (below(2) == 0 ? 1 : 255));
    }
  }

  /// A number at the edge of what some type holds, in one to eight bytes.
  void overwrite_number(Input& input, std::size_t place) {
    constexpr std::uint64_t edges[] = {0,
                                       1,
                                       0x7F,
                                       0x80,
                                       0xFF,
                                       0x7FFF,
                                       0x8000,
                                       0xFFFF,
                                       0x7FFFFFFF,
                                       0x80000000,
                                       0xFFFFFFFF,
                                       0x7FFFFFFFFFFFFFFF,
                                       0x8000000000000000,
                                       0xFFFFFFFFFFFFFFFF};
    std::uint64_t number = edges[below(std::size(edges))];
    for (std::size_t count = std::size_t{1} << below(4); count-- > 0 && place < input.size(); ++place, number >>= 8)
      input[place] = static_cast<std::uint8_t>(number);
  }

  const std::vector<Input>& seeds_;
  std::mt19937_64 random_;
};

struct Options {
  double seconds = 0;
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> places;
};

Options parse_options(int count, char** arguments) {
  Options options;
  const auto usage = [] {
    std::fprintf(stderr, "usage: fuzz_NAME [--seconds N] [--runs N] [--seed S] [FILE or FOLDER ...]\n");
    std::exit(2);
  };
  for (int index = 1; index < count; ++index) {
    const std::string_view argument = arguments[index];
    if (!argument.starts_with("--")) {
      options.places.emplace_back(argument);
      continue;
    }
    if (index + 1 == count) usage();
    const std::string_view text = arguments[++index];
    std::uint64_t number = 0;
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc() || stop != text.data() + text.size()) usage();
    if (argument == "--seconds") options.seconds = static_cast<double>(number);
    else if (argument == "--runs") options.runs = number;
    else if (argument == "--seed") options.seed = number;
    else usage();
  }
  return options;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse_options(count, arguments);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(signal, on_signal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_current);

  const std::vector<Input> seeds = read_seeds(options.places);
  run({});
  for (const Input& seed : seeds) run(seed);

  Mutator mutator(seeds, options.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto is_due = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < options.seconds;
  };
  std::uint64_t runs = 0;
  while (runs < options.runs || is_due()) {
    run(mutator.next());
    ++runs;
  }
  std::printf("%zu seeds, %llu mutations from seed %llu\n", seeds.size(), static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(options.seed));
  return 0;
}
