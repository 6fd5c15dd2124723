#include "loupe/rules/action_request.hpp"

#include <string>

#include "support/catch.hpp"

using loupe::rules::ActionKind;
using loupe::rules::ActionRequest;
using loupe::rules::read_action_json;
using Actions = std::vector<ActionRequest>;

TEST_CASE("actions are read from one object or a list, plain or with escaped quotes") {
  CHECK(read_action_json(R"({"name": "StopTraining", "training_job_prefix": "My-Job"})")->actions == Actions{{ActionKind::stop_training, "My-Job"}});
  CHECK(read_action_json(R"([{"name": "email", "endpoint": "abc@def.gh"}, {"name": "sms", "endpoint": "+123", "extra": 1}])")->actions ==
        Actions{{ActionKind::email, "abc@def.gh"}, {ActionKind::sms, "+123"}});
  CHECK(read_action_json(R"({\"name\": \"sms\", \"endpoint\": \"+1\"})")->actions == Actions{{ActionKind::sms, "+1"}});
  CHECK(read_action_json(" \n")->actions.empty());
}

TEST_CASE("what can't be done is passed over with a sentence, an object without a name in silence") {
  const auto read = read_action_json(R"([{"name": "call"}, {"name": "email"}, {"name": "stoptraining"}, {"endpoint": "x"}, 3, {"name": "sms", "endpoint": 5}])");
  REQUIRE(read);
  CHECK(read->actions.empty());
  CHECK(read->skipped.size() == 5);
  CHECK(read_action_json("3")->skipped.size() == 1);
}

TEST_CASE("text that isn't JSON is an error") {
  for (const char* text : {"{", "stop", R"({"name": "sms"} x)", "[{]"}) {
    CAPTURE(text);
    CHECK_FALSE(read_action_json(text));
  }
}

TEST_CASE("targets are held to the service's patterns") {
  const auto is_good = [](ActionKind kind, const char* target) { return loupe::rules::check_action({kind, target}).has_value(); };
  CHECK(is_good(ActionKind::email, "a1@b_C.com"));
  for (const char* address : {"", "A@b.cd", "a.b@c.de", "a@b", "a@b.c", "a@b.cdef", "a+b@c.de", "@b.cd", "a@.cd", "a@b@c.de"}) {
    CAPTURE(address);
    CHECK_FALSE(is_good(ActionKind::email, address));
  }
  CHECK(is_good(ActionKind::sms, "+123456789012345"));
  for (const char* number : {"", "+", "123", "+1234567890123456", "+12a"}) CHECK_FALSE(is_good(ActionKind::sms, number));
  CHECK(is_good(ActionKind::stop_training, "Job-1"));
  for (const char* prefix : {"", "a_b", "a b"}) CHECK_FALSE(is_good(ActionKind::stop_training, prefix));
}
