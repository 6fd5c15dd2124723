#include "loupe/rules/reaction.hpp"

#include "loupe/rules/builtin/exploding_tensor.hpp"
#include "support/catch.hpp"

using namespace loupe::rules;

TEST_CASE("a rule that is attached as it is asks for the training to end") {
  CHECK(Attachment{.rule = exploding_tensor()}.reaction == Reaction::stop);
  CHECK(stop_training(exploding_tensor()).reaction == Reaction::stop);
  CHECK(skip_update(exploding_tensor()).reaction == Reaction::skip);
  const Attachment reported = report_only(exploding_tensor(), {.start_step = 3});
  CHECK(reported.reaction == Reaction::report);
  CHECK(reported.terms.start_step == 3);
  CHECK(reported.rule.name() == "ExplodingTensor");
}
