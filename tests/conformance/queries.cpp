#include "conformance/queries.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {
namespace {

using loupe::Mode;
using loupe::ModeStep;
using loupe::Step;
using loupe::Steps;

/// The arguments of a call, under the names of Python's parameters.
class Arguments {
 public:
  explicit Arguments(const Json& arguments) : arguments_(arguments) {}

  const Json& operator[](std::string_view name) const { return arguments_[name]; }
  [[nodiscard]] bool has(std::string_view name) const { return !arguments_[name].is_null(); }
  [[nodiscard]] std::string text(std::string_view name) const {
    const std::string* found = arguments_[name].text();
    return found != nullptr ? *found : std::string();
  }
  [[nodiscard]] Mode mode() const { return loupe::mode_from_name(text("mode")).value_or(Mode::global); }
  /// The number of a step, whatever the call names it.
  [[nodiscard]] std::int64_t step_number() const {
    for (const char* name : {"step_num", "step", "mode_step", "global_step"})
      if (has(name)) return arguments_[name].integer();
    return 0;
  }
  [[nodiscard]] ModeStep step() const { return {mode(), step_number()}; }
  [[nodiscard]] Steps which() const { return arguments_["show_incomplete_steps"].truth() ? Steps::with_incomplete : Steps::complete; }
  /// Patterns, given as one text or as lists of texts.
  [[nodiscard]] std::vector<loupe::Text> patterns() const {
    std::vector<loupe::Text> found;
    collect(arguments_["regex"], found);
    return found;
  }

 private:
  static void collect(const Json& json, std::vector<loupe::Text>& found) {
    if (const std::string* text = json.text()) found.emplace_back(*text);
    if (const Array* list = json.array())
      for (const Json& item : *list) collect(item, found);
  }
  const Json& arguments_;
};

Json arrays_json(const std::vector<loupe::Array>& values) {
  Array shown;
  for (const loupe::Array& value : values) shown.push_back(value_json(value.view()));
  return shown;
}

std::optional<Json> ask_tensor(const Trial& trial, std::string_view call, const Arguments& given) {
  const auto tensor = trial.tensor(given.text("tensor"));
  if (!tensor) return error_json(tensor.error(), Asked::names);
  const std::string worker = given.text("worker");
  if (call == "value") return value_at(*tensor, given.step(), worker);
  if (call == "shape") return answer(tensor->shape(given.step(), worker), Asked::value, shape_json);
  if (call == "reduction_values") return reductions_at(*tensor, given.step(), worker);
  if (call == "reduction_value") {
    const std::string prefix = given["abs"].truth() ? "abs_" : "";
    const std::string name = given.text("reduction_name");
    // `abs_min` is a name of loupe's; Python has `min` with a flag.
    return reduction_at(*tensor, given.step(), prefix + (name.starts_with("abs_") ? "?" : "") + name, worker);
  }
  if (call == "values")
    return answer(tensor->values(given.mode(), worker), Asked::value, [](const auto& values) {
      Object shown;
      for (const auto& [step, value] : values) shown.emplace_back(std::to_string(step.value), value_json(value.view()));
      return shown;
    });
  if (call == "steps") return steps_json(tensor->steps(given.mode(), given.which()));
  if (call == "prev_steps")
    return steps_json(tensor->prev_steps(given.step(), static_cast<std::size_t>(std::max<std::int64_t>(given["n"].integer(), 0))));
  if (call == "workers") return answer(tensor->workers(given.step()), Asked::names, names_json);
  if (call == "step") return Object{{"error", "SMDebugNotImplementedError"}};
  if (call == "name") return tensor->name();
  if (call == "original_name") {
    const auto name = tensor->original_name();
    return name ? Json(*name) : Json();
  }
  return std::nullopt;
}

std::optional<Json> ask_steps(const Trial& trial, std::string_view call, const Arguments& given) {
  if (call == "steps") return steps_json(trial.steps(given.mode(), given.which()));
  if (call == "has_passed_step") return answer(trial.has_passed_step(given.step()), Asked::names, state_name);
  if (call == "global_step")
    return answer(trial.global_step(given.step()), Asked::names, [](const auto& step) { return step ? Json(step->value) : Json(); });
  if (call == "mode")
    return answer(trial.mode_step(Step(given.step_number())), Asked::names,
                  [](const auto& at) { return at ? Json(mode_name(at->mode)) : Json(); });
  if (call == "mode_step")
    return answer(trial.mode_step(Step(given.step_number())), Asked::names,
                  [](const auto& at) { return at ? Json(at->value) : Json(); });
  if (call == "modes")
    return answer(trial.modes(), Asked::names, [](const std::vector<Mode>& modes) {
      std::vector<std::string> names;
      for (const Mode mode : modes) names.emplace_back(mode_name(mode));
      std::sort(names.begin(), names.end());
      return names_json(names);
    });
  if (call == "wait_for_steps") {
    std::vector<loupe::AtStep> steps;
    if (const Array* numbers = given["required_steps"].array())
      for (const Json& number : *numbers) steps.emplace_back(ModeStep(given.mode(), number.integer()));
    const auto outcome = trial.wait_for_steps(steps);
    return outcome ? Json() : error_json(outcome.error(), Asked::names);
  }
  return std::nullopt;
}

std::optional<Json> ask_trial(const Trial& trial, std::string_view call, const Arguments& given) {
  if (call == "tensor_names") {
    loupe::NameQuery query{.mode = given.mode(), .regex = given.patterns()};
    if (given.has("step")) query.step = given.step();
    if (given.has("collection")) query.collection = loupe::Text(given.text("collection"));
    return answer(trial.tensor_names(query), Asked::names, names_json);
  }
  if (call == "tensor")
    return answer(trial.tensor(given.text("name")), Asked::names, [](const Trial::Tensor& tensor) { return tensor.name(); });
  if (call == "has_tensor") return answer(trial.has_tensor(given.text("name")), Asked::names, [](bool has) { return has; });
  if (call == "workers") return answer(trial.workers(), Asked::names, names_json);
  if (call == "num_workers") return answer(trial.num_workers(), Asked::names, [](std::int64_t number) { return number; });
  if (call == "collections")
    return answer(trial.collections(), Asked::names, [](const std::vector<loupe::Collection>& collections) {
      std::vector<std::string> names;
      for (const auto& collection : collections) names.emplace_back(collection.name.view());
      std::sort(names.begin(), names.end());
      return names_json(names);
    });
  if (call == "collection") {
    const std::string name = given.has("coll_name") ? given.text("coll_name") : given.text("name");
    return answer(trial.collection(name), Asked::names, collection_json);
  }
  if (call == "inputs") return answer(trial.inputs(given.step()), Asked::value, arrays_json);
  if (call == "labels") return answer(trial.labels(given.step()), Asked::value, arrays_json);
  if (call == "predictions") return answer(trial.predictions(given.step()), Asked::value, arrays_json);
  if (call == "name") return trial.name();
  if (call == "loaded_all_steps") return trial.loaded_all_steps();
  if (call == "last_complete_step") return trial.last_complete_step();
  if (call == "refresh" || call == "maybe_refresh") {
    const auto outcome = trial.refresh();
    return outcome ? Json() : error_json(outcome.error(), Asked::trial);
  }
  return std::nullopt;
}

}  // namespace

Json run_queries(const Trial& trial, const Json& queries) {
  Array answered;
  if (const Array* list = queries.array())
    for (const Json& query : *list) {
      const std::string* call = query["call"].text();
      const std::string_view name = call != nullptr ? *call : std::string_view();
      const Arguments given(query["args"]);
      std::optional<Json> result;
      if (given.has("tensor")) result = ask_tensor(trial, name, given);
      if (!result) result = ask_steps(trial, name, given);
      if (!result) result = ask_trial(trial, name, given);
      answered.push_back(Object{{"call", name}, {"args", query["args"]}, {"result", result ? *result : Object{{"error", "unknown call"}}}});
    }
  return answered;
}

}  // namespace conformance
