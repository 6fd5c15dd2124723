#include "loupe/rules/parameters.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using loupe::ErrorKind;
using loupe::Text;
using loupe::rules::NamedParameter;

namespace {

struct Sample {
  double threshold = 0.5;
  std::int64_t num_steps = 10;
  std::optional<double> limit = {};
  bool flag = false;
  std::vector<Text> names = {"a"};
  std::vector<double> values = {};
  Text mode = "TRAIN";

  void visit(loupe::rules::ParameterVisitor& visitor) {
    visitor.number("threshold", threshold, loupe::rules::between(0, 100));
    visitor.integer("num_steps", num_steps, loupe::rules::at_least(1));
    visitor.number("limit", limit, loupe::rules::any_number());
    visitor.flag("flag", flag);
    visitor.list("names", names);
    visitor.numbers("values", values, loupe::rules::above(0));
    static constexpr std::string_view modes[] = {"TRAIN", "EVAL"};
    visitor.word("mode", mode, modes);
  }
};

loupe::result<Sample> read(std::vector<NamedParameter> given) {
  Sample sample;
  LOUPE_TRY(loupe::rules::read_parameters("Sample", given, sample));
  return sample;
}

std::string refusal(std::vector<NamedParameter> given) {
  const auto refused = read(std::move(given));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  return std::string(refused.error().message().view());
}

}  // namespace

TEST_CASE("parameters come as strings, each in the form of its type") {
  const auto sample = read({{"threshold", " 1e1 "}, {"num_steps", "10.0"}, {"limit", "-3"}, {"flag", "True"},
                            {"names", "x, y{1,3}, (p|q,r)"}, {"values", "[1, 2.5]"}, {"mode", "EVAL"}});
  REQUIRE(sample);
  CHECK(sample->threshold == 10);
  CHECK(sample->num_steps == 10);
  CHECK(sample->limit == -3);
  CHECK(sample->flag);
  CHECK(sample->names == std::vector<Text>{"x", "y{1,3}", "(p|q,r)"});
  CHECK(sample->values == std::vector<double>{1, 2.5});
  CHECK(sample->mode == "EVAL");
}

TEST_CASE("what is not given, or empty where a list may be, keeps its default") {
  const auto sample = read({{"names", " "}, {"limit", "None"}});
  REQUIRE(sample);
  CHECK(sample->names == std::vector<Text>{"a"});
  CHECK_FALSE(sample->limit);
  CHECK(sample->threshold == 0.5);
}

TEST_CASE("a value that doesn't parse or is out of range is refused by rule, parameter and what is allowed") {
  CHECK(refusal({{"threshold", "101"}}) == "Sample: threshold: '101' was given; allowed is a number, 0 to 100");
  CHECK(refusal({{"num_steps", "0"}}) == "Sample: num_steps: '0' was given; allowed is a whole number, at least 1");
  CHECK(refusal({{"flag", "yes"}}) == "Sample: flag: 'yes' was given; allowed is True, true, False, false");
  CHECK(refusal({{"mode", "train"}}) == "Sample: mode: 'train' was given; allowed is TRAIN, EVAL");
  CHECK(refusal({{"values", "1,0"}}) == "Sample: values: '0' was given; allowed is a number, above 0");
  for (const char* text : {"", "1x", "nan", "inf", "0x10", "1 2", "1e999", "--1", "+-1"}) {
    CAPTURE(text);
    CHECK(refusal({{"threshold", text}}).starts_with("Sample: threshold: "));
  }
  CHECK(refusal({{"num_steps", "2.5"}}).starts_with("Sample: num_steps: "));
  CHECK(refusal({{"num_steps", "1e18"}}).starts_with("Sample: num_steps: "));
}

TEST_CASE("an unknown parameter is refused with the nearest known one, one that comes twice with its name") {
  const std::string unknown = refusal({{"treshold", "1"}});
  CHECK(unknown.find("Sample: treshold: there is no such parameter") == 0);
  CHECK(unknown.ends_with("did you mean threshold?"));
  CHECK_FALSE(refusal({{"completely different", "1"}}).ends_with("?"));
  CHECK(refusal({{"flag", "true"}, {"flag", "true"}}) == "Sample: flag: the parameter is given twice");
}

TEST_CASE("parameters that were given in code are held to the same ranges") {
  CHECK(loupe::rules::check_parameters("Sample", Sample{}));
  CHECK_FALSE(loupe::rules::check_parameters("Sample", Sample{.threshold = -1}));
  CHECK_FALSE(loupe::rules::check_parameters("Sample", Sample{.threshold = __builtin_nan("")}));
  CHECK_FALSE(loupe::rules::check_parameters("Sample", Sample{.mode = "OTHER"}));
}

TEST_CASE("parameters are printed one a line, without what is not given") {
  CHECK(loupe::rules::parameters_text(Sample{}) == "threshold:0.5\nnum_steps:10\nflag:False\nnames:a\nmode:TRAIN\n");
}

TEST_CASE("a list is a JSON array, or split at commas outside of brackets") {
  using loupe::rules::split_list;
  CHECK(*split_list(R"(["a,b", "c"])") == std::vector<Text>{"a,b", "c"});
  CHECK(*split_list("[ab]+,[cd]") == std::vector<Text>{"[ab]+", "[cd]"});
  CHECK(*split_list("a\\,b,,c,") == std::vector<Text>{"a\\,b", "c"});
  CHECK(split_list("")->empty());
}

TEST_CASE("the nearest name is near enough to be meant, or none") {
  constexpr std::string_view names[] = {"DeadRelu", "AllZero"};
  CHECK(loupe::rules::nearest_name("DeadReLU", names) == "DeadRelu");
  CHECK(loupe::rules::nearest_name("Allzeros", names) == "AllZero");
  CHECK(loupe::rules::nearest_name("Gradient", names).empty());
}
