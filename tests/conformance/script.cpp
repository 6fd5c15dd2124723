#include "conformance/script.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "conformance/script_value.hpp"

namespace conformance {
namespace {

using loupe::ErrorKind;
using loupe::fail;
using loupe::result;

std::string text_of(const Json& json) { return json.text() != nullptr ? *json.text() : std::string(); }

std::vector<std::string> texts_of(const Json& json) {
  std::vector<std::string> texts;
  if (const Array* list = json.array()) {
    for (const Json& item : *list) texts.push_back(text_of(item));
  } else if (json.text() != nullptr) {
    texts.push_back(text_of(json));
  }
  return texts;
}

/// Members whose values are texts; others are printed.
std::vector<std::pair<std::string, std::string>> pairs_of(const Json& json) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (const Object* members = json.object())
    for (const auto& [name, member] : *members)
      pairs.emplace_back(name, member.text() != nullptr ? text_of(member) : print(member));
  return pairs;
}

result<OpKind> kind_of(const Json& op) {
  static constexpr std::array<std::string_view, 7> names = {"mode",   "step",         "tensor", "scalar",
                                                            "custom", "flush_custom", "close"};
  const auto found = std::find(names.begin(), names.end(), text_of(op["op"]));
  if (found == names.end())
    return fail(ErrorKind::invalid_argument, "script", loupe::Text::join("no such op: ", print(op)));
  return static_cast<OpKind>(found - names.begin());
}

/// `by_worker` is an object of workers' values or a list in the order of the workers.
result<std::vector<loupe::Array>> values_of(const Json& op, OpKind kind, const std::vector<std::string>& workers) {
  std::vector<loupe::Array> values;
  if (kind == OpKind::scalar && op["by_worker"].is_null()) {
    LOUPE_ASSIGN(loupe::Array value, scalar_value(op["value"]));
    values.push_back(std::move(value));
  } else if (const Array* list = op["by_worker"].array()) {
    for (const Json& item : *list) {
      LOUPE_ASSIGN(loupe::Array value, kind == OpKind::scalar ? scalar_value(item) : tensor_value(item));
      values.push_back(std::move(value));
    }
  } else if (op["by_worker"].object() != nullptr) {
    for (const std::string& worker : workers) {
      const Json& item = op["by_worker"][worker];
      if (item.is_null()) {
        values.emplace_back();
        continue;
      }
      LOUPE_ASSIGN(loupe::Array value, kind == OpKind::scalar ? scalar_value(item) : tensor_value(item));
      values.push_back(std::move(value));
    }
  } else {
    LOUPE_ASSIGN(loupe::Array value, tensor_value(op["value"]));
    values.push_back(std::move(value));
  }
  if (values.size() != 1 && values.size() != workers.size())
    return fail(ErrorKind::invalid_argument, "script", "by_worker needs a value for each worker");
  return values;
}

result<Op> read_op(const Json& json, const std::vector<std::string>& workers) {
  Op op;
  LOUPE_ASSIGN(op.kind, kind_of(json));
  op.name = text_of(json["name"]);
  op.mode = loupe::mode_from_name(text_of(json["mode"]));
  op.collections = texts_of(json["collections"]);
  op.only = texts_of(json["only"]);
  if (const auto* number = std::get_if<Number>(&json["timestamp"].value))
    std::from_chars(number->text.data(), number->text.data() + number->text.size(), op.timestamp);
  if (op.kind == OpKind::tensor || op.kind == OpKind::scalar || op.kind == OpKind::custom) {
    LOUPE_ASSIGN(op.values, values_of(json, op.kind, workers));
  }
  return op;
}

}  // namespace

bool Op::is_for(std::string_view worker) const {
  return only.empty() || std::find(only.begin(), only.end(), worker) != only.end();
}

result<Script> read_script(std::string_view text, std::string_view file) {
  LOUPE_ASSIGN(const Json json, parse(text, file));
  const Json& hook = json["hook"];
  Script script;
  script.files = pairs_of(json["files"]);
  script.environment = pairs_of(json["env"]);
  if (auto workers = texts_of(json["workers"]); !workers.empty()) script.workers = std::move(workers);
  if (hook["config"].object() != nullptr) script.config = hook["config"];
  if (const Object* collections = hook["default_collections"].object()) {
    for (const auto& [name, patterns] : *collections) script.default_collections.push_back({name, texts_of(patterns)});
  } else {
    script.default_collections = {{"all", {}},
                                  {"default", {}},
                                  {"weights", {"^(?!gradient).*weight"}},
                                  {"biases", {"^(?!gradient).*bias"}},
                                  {"gradients", {"^gradient"}},
                                  {"losses", {"[Ll]oss_(?!input).*output"}}};
  }
  if (hook["default_include_collections"].array() != nullptr)
    script.included_collections = texts_of(hook["default_include_collections"]);
  if (const Array* ops = json["ops"].array()) {
    for (const Json& item : *ops) {
      LOUPE_ASSIGN(Op op, read_op(item, script.workers));
      script.ops.push_back(std::move(op));
    }
  }
  return script;
}

}  // namespace conformance
