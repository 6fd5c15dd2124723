/// Prints the document of a trial as smdebug would answer: tests/data/fixtures/README.md says what that is.
///
///     conformance_reader TRIAL_DIR [--range BEGIN:END] [--queries EXPECTED.json] [--stages]

#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "conformance/folder.hpp"
#include "conformance/json.hpp"
#include "conformance/queries.hpp"
#include "conformance/trial_document.hpp"

namespace {

using namespace conformance;

struct CommandLine {
  std::string folder;
  loupe::StepRange range;
  std::string queries;
  bool stages = false;
};

std::optional<std::int64_t> limit(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<CommandLine> read_command_line(int count, char** arguments) {
  CommandLine line;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const bool has_next = i + 1 < count;
    if (argument == "--stages") {
      line.stages = true;
    } else if (argument == "--range" && has_next) {
      const std::string_view range = arguments[++i];
      const std::size_t colon = range.find(':');
      if (colon == std::string_view::npos) return std::nullopt;
      line.range = {limit(range.substr(0, colon)), limit(range.substr(colon + 1))};
    } else if (argument == "--queries" && has_next) {
      line.queries = arguments[++i];
    } else if (line.folder.empty() && !argument.starts_with("--")) {
      line.folder = argument;
    } else {
      return std::nullopt;
    }
  }
  if (line.folder.empty()) return std::nullopt;
  return line;
}

Trial open(const std::string& folder, const CommandLine& line) {
  loupe::TrialOptions options;
  options.range = line.range;
  return Trial(std::string_view(folder), std::move(options));
}

/// Adds the answers to the queries of an expected document.
void add_answers(Json& shown, const Trial& trial, const std::string& queries) {
  if (queries.empty()) return;
  const auto expected = parse(read_file(queries), queries);
  if (!expected) throw std::runtime_error(expected.error().message().c_str());
  std::get<Object>(shown.value).emplace_back("queries", run_queries(trial, (*expected)["queries"]));
}

Json read_stages(const CommandLine& line) {
  const TemporaryFolder growing;
  Array documents;
  std::optional<Trial> trial;
  for (int stage = 0;; ++stage) {
    const std::string added = line.folder + "/stages/" + std::to_string(stage);
    if (!std::filesystem::is_directory(added)) break;
    copy_files(added, growing.path());
    if (!trial) trial.emplace(open(growing.path(), line));
    documents.push_back(document(*trial, growing.path()));
  }
  Json shown = Object{{"schema", 1}, {"stages", std::move(documents)}};
  if (trial) add_answers(shown, *trial, line.queries);
  return shown;
}

Json read_trial(const CommandLine& line) {
  const Trial trial = open(line.folder, line);
  Json shown = document(trial, line.folder);
  add_answers(shown, trial, line.queries);
  return shown;
}

}  // namespace

int main(int count, char** arguments) {
  const auto line = read_command_line(count, arguments);
  if (!line) {
    std::fputs("usage: conformance_reader TRIAL_DIR [--range BEGIN:END] [--queries EXPECTED.json] [--stages]\n", stderr);
    return 2;
  }
  try {
    const Json shown = line->stages ? read_stages(*line) : read_trial(*line);
    std::puts(print(shown).c_str());
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "conformance_reader: %s\n", problem.what());
    return 1;
  }
  return 0;
}
