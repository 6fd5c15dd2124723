#include "loupe/select/name_filter.hpp"

#include <random>
#include <string>

#include "loupe/select/boost_regex.hpp"
#include "loupe/select/framework_defaults.hpp"
#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;

namespace {

/// Names that come close to the default patterns: pieces of them, in any order.
std::string random_name(std::mt19937_64& random) {
  static constexpr std::string_view pieces[] = {"gradient",
                                                "gradient/",
                                                "weight",
                                                "weights/",
                                                "bias",
                                                "/",
                                                "Loss_",
                                                "loss_",
                                                "loss",
                                                "input",
                                                "output",
                                                "_",
                                                "x",
                                                "\n",
                                                "é",
                                                "数",
                                                "average_shap/",
                                                "auc",
                                                "full_shap/",
                                                "map",
                                                "-",
                                                "train",
                                                "[",
                                                "^",
                                                "0",
                                                "\xff",
                                                "hyperparameters/",
                                                "predictions",
                                                "labels",
                                                "trees/",
                                                "feature_importance/",
                                                "a",
                                                "b",
                                                "i",
                                                "s",
                                                "f1",
                                                "😀"};
  std::string name;
  for (auto count = random() % 6; count > 0; --count) name += pieces[random() % std::size(pieces)];
  return name;
}

result<AnyPattern> no_engine(std::string_view pattern) { return fail(ErrorKind::unsupported, pattern, "no engine"); }

bool boost_finds(std::string_view pattern, std::string_view name) {
  const auto compiled = compile_boost_regex(pattern);
  REQUIRE(compiled);
  return compiled->search(name).value();
}

}  // namespace

TEST_CASE("every pattern of the default collections needs no engine") {
  for (const FrameworkDefaults* defaults :
       {&pytorch_defaults, &mxnet_defaults, &tensorflow_defaults, &xgboost_defaults})
    for (const DefaultCollection& collection : defaults->collections) {
      NameFilter filter(no_engine);
      filter.add(collection.pattern);
      CHECK(filter.errors().empty());
    }
}

TEST_CASE("what is matched directly means exactly what the regular expression means") {
  std::vector<std::string> patterns = {
      ".*",   "",          "weight",    "^gradient", "bias$",   "^labels$",
      "^$",   "$",         "^",         "a\\.b",     "\\[x\\]", ".*loss.*",
      "fc.*", "trees/.*$", "^trees/.*", "\\.*",      "a\\\\.*", "^weights/.*/((?!bias).)*$"};
  for (const FrameworkDefaults* defaults :
       {&pytorch_defaults, &mxnet_defaults, &tensorflow_defaults, &xgboost_defaults})
    for (const DefaultCollection& collection : defaults->collections)
      if (!collection.pattern.empty()) patterns.emplace_back(collection.pattern);
  std::mt19937_64 random(7);
  for (const std::string& pattern : patterns) {
    NameFilter filter(no_engine);
    filter.add(pattern);
    const bool is_direct = filter.errors().empty();
    CAPTURE(pattern);
    const auto compiled = compile_boost_regex(pattern);
    REQUIRE(compiled);
    for (int trial = 0; is_direct && trial < 3000; ++trial) {
      const std::string name = random_name(random);
      CAPTURE(name);
      REQUIRE(filter.matches(name) == compiled->search(name).value());
    }
  }
}

TEST_CASE("Boost.Regex finds what Python's re finds") {
  const Table table("regex_matches");
  std::vector<std::string> names;
  for (const auto& row : table.rows())
    if (text_of(row["in"]) == ".*") names = texts_of(row["out"]);
  REQUIRE(names.size() > 40);
  for (const auto& row : table.rows()) {
    NameFilter filter(compile_boost_regex);
    filter.add(text_of(row["in"]));
    CAPTURE(text_of(row["in"]));
    REQUIRE(filter.errors().empty() != is_refused(row["out"]));
    if (is_refused(row["out"])) {
      CHECK(filter.errors()[0].kind == ErrorKind::invalid_argument);
      CHECK(filter.errors()[0].object.view().find(text_of(row["in"])) != std::string_view::npos);
      continue;
    }
    std::vector<std::string> found;
    for (const std::string& name : names)
      if (filter.matches(name)) found.push_back(name);
    CHECK(found == texts_of(row["out"]));
  }
}

TEST_CASE("a name is selected if any pattern is found in it") {
  NameFilter filter(compile_boost_regex);
  CHECK(filter.empty());
  CHECK_FALSE(filter.matches("conv1"));
  filter.add("^fc");
  filter.add("con[uv]\\d");
  CHECK_FALSE(filter.empty());
  CHECK(filter.matches("net/conv1"));
  CHECK(filter.matches("fc2"));
  CHECK_FALSE(filter.matches("relu"));
}

TEST_CASE("a refused pattern selects nothing and leaves its error, and the other patterns still select") {
  NameFilter filter(compile_boost_regex);
  filter.add("a(b");
  filter.add("weight");
  REQUIRE(filter.errors().size() == 1);
  CHECK(filter.errors()[0].object == "pattern a(b");
  CHECK(filter.matches("weight"));
  CHECK_FALSE(filter.matches("a(b"));
}

TEST_CASE("an engine that gives up is an error to a search and no match to a filter") {
  struct Tired {
    result<bool> search(std::string_view) const { return fail(ErrorKind::limit_exceeded, "pattern", "too complex"); }
  };
  NameFilter filter([](std::string_view) -> result<AnyPattern> { return AnyPattern(Tired{}); });
  filter.add("(a*)*");
  CHECK(filter.search("aaa").error().kind == ErrorKind::limit_exceeded);
  CHECK_FALSE(filter.matches("aaa"));
  filter.add("aa");
  CHECK(filter.search("aaa").value());
}

TEST_CASE("bytes that are no UTF-8 are looked for as characters of their own") {
  NameFilter filter;
  filter.add("\x96");
  CHECK(filter.matches("a\x96"));
  CHECK_FALSE(filter.matches("\xd6\x96"));
}

TEST_CASE("a dollar matches before a newline that ends the name, as in Python") {
  NameFilter filter;
  filter.add("^loss$");
  CHECK(filter.matches("loss"));
  CHECK(filter.matches("loss\n"));
  CHECK_FALSE(filter.matches("loss\n\n"));
  CHECK(boost_finds("^(?:loss)$", "loss\n"));
  CHECK_FALSE(boost_finds("^(?:loss)$", "loss\n\n"));
}
