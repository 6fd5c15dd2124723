#include "conformance/trial_document.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/folder.hpp"
#include "conformance/tensorboard_json.hpp"
#include "loupe/select/boost_regex.hpp"
#include "loupe/select/python_regex.hpp"
#include "loupe/select/reduction_config.hpp"

namespace conformance {
namespace {

using loupe::Mode;
using loupe::ModeStep;
using loupe::Step;
using loupe::Steps;

/// Above it only the neighbours of steps are asked about.
constexpr std::int64_t all_steps_asked_below = 100;

std::string number_text(std::int64_t number) { return std::to_string(number); }

std::vector<std::int64_t> step_numbers(const loupe::result<std::vector<ModeStep>>& steps) {
  std::vector<std::int64_t> numbers;
  if (steps)
    for (const ModeStep step : *steps) numbers.push_back(step.value);
  return numbers;
}

/// Steps of a mode that are known, without a refresh: smdebug's documents show its tables as they are.
std::vector<std::int64_t> known_steps(const Trial& trial, Mode mode) { return trial.snapshot()->steps(mode, Steps::with_incomplete); }

/// The modes seen, by name.
std::vector<Mode> modes_of(const Trial& trial) {
  std::vector<Mode> modes = trial.modes().value_or(std::vector<Mode>());
  std::sort(modes.begin(), modes.end(), [](Mode a, Mode b) { return mode_name(a) < mode_name(b); });
  return modes;
}

template <class Ask>
Json of_each_mode(Ask&& ask) {
  Object answers;
  for (const Mode mode : loupe::all_modes) answers.emplace_back(mode_name(mode), ask(mode));
  return answers;
}

Json passed_steps(const Trial& trial, Mode mode) {
  const auto known = known_steps(trial, mode);
  const std::int64_t last = known.empty() ? -1 : known.back();
  std::set<std::int64_t> asked{last + 1, last + 2};
  if (last < all_steps_asked_below) {
    for (std::int64_t step = 0; step <= last; ++step) asked.insert(step);
  } else {
    for (const std::int64_t step : known) asked.insert({step - 1, step, step + 1});
  }
  asked.erase(asked.begin(), asked.lower_bound(0));
  Object states;
  for (const std::int64_t step : asked)
    states.emplace_back(number_text(step), answer(trial.has_passed_step(ModeStep(mode, step)), Asked::names, state_name));
  return states;
}

/// Steps that have the same names, together.
Json names_by_step(const Trial& trial, const std::vector<std::int64_t>& steps) {
  std::vector<std::pair<Json, Array>> groups;
  for (const std::int64_t step : steps) {
    Json names = answer(trial.tensor_names({.step = ModeStep(Mode::global, step)}), Asked::names, names_json);
    const std::string text = print(names);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return print(known.first) == text; });
    if (group == groups.end()) group = groups.insert(groups.end(), {std::move(names), Array()});
    group->second.push_back(step);
  }
  Array shown;
  for (auto& [names, members] : groups) shown.push_back(Object{{"steps", std::move(members)}, {"tensor_names", std::move(names)}});
  return shown;
}

Json save_config_json(const std::optional<loupe::ModeSaveConfigs>& save) {
  if (!save) return nullptr;
  return of_each_mode([&](Mode mode) -> Json {
    const auto& config = save->of(mode);
    if (!config) return nullptr;
    Array steps(config->save_steps.begin(), config->save_steps.end());
    return Object{{"save_interval", config->interval},
                  {"save_steps", std::move(steps)},
                  {"start_step", config->start_step},
                  {"end_step", config->end_step ? Json(*config->end_step) : Json()}};
  });
}

Json computed_reductions(const Trial::Tensor& tensor, ModeStep step, const std::string& worker, const Json& saved) {
  Object computed;
  for (const loupe::Statistic statistic : loupe::smdebug_statistics) {
    const std::string_view name = statistic_name(statistic);
    if (saved[name].is_null()) computed.emplace_back(name, reduction_at(tensor, step, name, worker));
  }
  return computed;
}

/// What was saved of a tensor, by global step and worker.
Json records(const Trial& trial, const Trial::Tensor& tensor) {
  Array shown;
  bool has_computed = false;
  for (const std::int64_t step : step_numbers(tensor.steps(Mode::global, Steps::with_incomplete))) {
    const ModeStep at(Mode::global, step);
    auto workers = tensor.workers(at).value_or(std::vector<std::string>());
    std::sort(workers.begin(), workers.end());
    const auto mode_step = trial.mode_step(Step(step)).value_or(std::nullopt);
    for (const std::string& worker : workers) {
      Object record{{"step", step}};
      record.emplace_back("mode", mode_step ? Json(mode_name(mode_step->mode)) : Json());
      record.emplace_back("mode_step", mode_step ? Json(mode_step->value) : Json());
      record.emplace_back("worker", worker);
      Json value = value_at(tensor, at, worker);
      const bool has_value = !value.is_null() && value["error"].is_null();
      record.emplace_back("value", std::move(value));
      record.emplace_back("shape", answer(tensor.shape(at, worker), Asked::value, shape_json));
      Json saved = reductions_at(tensor, at, worker);
      if (has_value && !has_computed) record.emplace_back("computed_reductions", computed_reductions(tensor, at, worker, saved));
      has_computed = has_computed || has_value;
      record.emplace_back("reductions", std::move(saved));
      shown.push_back(std::move(record));
    }
  }
  return shown;
}

Json tensor_json(const Trial& trial, const Trial::Tensor& tensor) {
  const auto original = tensor.original_name();
  return Object{{"original_name", original ? Json(*original) : Json()},
                {"steps", of_each_mode([&](Mode mode) { return steps_json(tensor.steps(mode)); })},
                {"steps_incomplete", of_each_mode([&](Mode mode) { return steps_json(tensor.steps(mode, Steps::with_incomplete)); })},
                {"records", records(trial, tensor)}};
}

/// The steps' relations: `global_to_mode`, `mode_to_global`, `workers_for_step`.
void add_step_maps(Object& shown, const Trial& trial, const std::vector<std::int64_t>& global_steps) {
  Object to_mode;
  Object workers;
  for (const std::int64_t step : global_steps) {
    if (const auto at = trial.mode_step(Step(step)).value_or(std::nullopt))
      to_mode.emplace_back(number_text(step), Array{mode_name(at->mode), at->value});
    workers.emplace_back(number_text(step), answer(trial.workers(Step(step)), Asked::names, names_json));
  }
  Object to_global;
  for (const Mode mode : modes_of(trial)) {
    Object steps;
    for (const std::int64_t step : known_steps(trial, mode))
      if (const auto global_step = trial.global_step(ModeStep(mode, step)).value_or(std::nullopt))
        steps.emplace_back(number_text(step), global_step->value);
    to_global.emplace_back(mode_name(mode), std::move(steps));
  }
  shown.emplace_back("global_to_mode", std::move(to_mode));
  shown.emplace_back("mode_to_global", std::move(to_global));
  shown.emplace_back("workers_for_step", std::move(workers));
}

}  // namespace

loupe::result<loupe::AnyPattern> compile_pattern(std::string_view pattern) {
  auto compiled = loupe::compile_python_regex(pattern);
  if (compiled || compiled.error().kind != loupe::ErrorKind::unsupported) return compiled;
  return loupe::compile_boost_regex(pattern);
}

std::string_view state_name(loupe::StepState state) {
  constexpr std::string_view names[] = {"UNAVAILABLE", "AVAILABLE", "NOT_YET_AVAILABLE"};
  return names[static_cast<std::size_t>(state)];
}

Json names_json(const std::vector<std::string>& names) { return Array(names.begin(), names.end()); }

Json steps_json(const loupe::result<std::vector<ModeStep>>& steps) {
  return answer(steps, Asked::names, [](const std::vector<ModeStep>& found) {
    Array numbers;
    for (const ModeStep step : found) numbers.push_back(step.value);
    return numbers;
  });
}

Json value_at(const Trial::Tensor& tensor, loupe::AtStep step, std::string_view worker) {
  return answer(tensor.view(step, worker), Asked::value, [](const loupe::ValueView& value) { return value_json(value.view()); });
}

Json reductions_at(const Trial::Tensor& tensor, loupe::AtStep step, std::string_view worker) {
  return answer(tensor.reduction_values(step, worker), Asked::value, [](const std::vector<loupe::ReductionValue>& saved) {
    Object shown;
    for (const auto& reduction : saved) shown.emplace_back(std::string(reduction.name.view()), value_json(reduction.stored.view()));
    return shown;
  });
}

Json reduction_at(const Trial::Tensor& tensor, loupe::AtStep step, std::string_view name, std::string_view worker) {
  // smdebug has an exception of its own for names that it doesn't know; the others are numpy's.
  const auto statistic = loupe::statistic_from_name(name);
  const bool is_known = statistic && loupe::smdebug_statistics.contains(*statistic);
  const Asked asked = !is_known ? Asked::value : is_norm(*statistic) && !is_absolute(*statistic) ? Asked::norm : Asked::reduction;
  return answer(tensor.reduction_value(step, name, worker), asked, [](const loupe::ReductionValue& reduction) {
    return reduction.is_saved() ? value_json(reduction.stored.view()) : scalar_json(reduction.number);
  });
}

Object collection_json(const loupe::Collection& collection) {
  Json reductions;
  if (collection.reductions)
    reductions = Object{{"save_raw_tensor", collection.reductions->save_raw_tensor},
                        {"reductions", statistics_text(collection.reductions->statistics).view()},
                        {"save_shape", collection.reductions->save_shape}};
  Array patterns;
  for (const auto& pattern : collection.include_regex) patterns.push_back(pattern.view());
  std::vector<std::string> names;
  for (const std::string_view name : collection.tensor_names) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return Object{{"include_regex", std::move(patterns)},
                {"tensor_names", names_json(names)},
                {"save_histogram", collection.save_histogram},
                {"reduction_config", std::move(reductions)},
                {"save_config", save_config_json(collection.save)}};
}

Json document(const Trial& trial, const std::string& folder) {
  Object shown{{"schema", 1}};
  const auto files = [&] { return names_json(masked_files(folder)); };
  if (const auto opened = trial.opened(); !opened) {
    shown.emplace_back("open", error_json(opened.error(), Asked::trial));
    shown.emplace_back("files", files());
    return shown;
  }
  shown.emplace_back("open", "ok");
  shown.emplace_back("workers", answer(trial.workers(), Asked::names, names_json));
  shown.emplace_back("num_workers", trial.num_workers().value_or(0));
  Array modes;
  for (const Mode mode : modes_of(trial)) modes.push_back(mode_name(mode));
  shown.emplace_back("modes", std::move(modes));
  shown.emplace_back("steps", of_each_mode([&](Mode mode) { return steps_json(trial.steps(mode)); }));
  shown.emplace_back("steps_incomplete", of_each_mode([&](Mode mode) { return steps_json(trial.steps(mode, Steps::with_incomplete)); }));
  const auto global_steps = known_steps(trial, Mode::global);
  add_step_maps(shown, trial, global_steps);
  Object passed;
  for (const Mode mode : modes_of(trial)) passed.emplace_back(mode_name(mode), passed_steps(trial, mode));
  passed.emplace_back("GLOBAL", passed_steps(trial, Mode::global));
  shown.emplace_back("has_passed_step", std::move(passed));
  shown.emplace_back("tensor_names", answer(trial.tensor_names(), Asked::names, names_json));
  Object by_mode;
  for (const Mode mode : modes_of(trial))
    by_mode.emplace_back(mode_name(mode), answer(trial.tensor_names({.mode = mode}), Asked::names, names_json));
  shown.emplace_back("tensor_names_by_mode", std::move(by_mode));
  shown.emplace_back("tensor_names_by_step", names_by_step(trial, global_steps));
  Object collections;
  for (const loupe::Collection& collection : trial.collections().value_or(std::vector<loupe::Collection>())) {
    Object described = collection_json(collection);
    described.emplace_back("trial_tensor_names",
                           answer(trial.tensor_names({.collection = collection.name}), Asked::names, names_json));
    collections.emplace_back(collection.name.view(), std::move(described));
  }
  shown.emplace_back("collections", std::move(collections));
  Object tensors;
  for (const std::string& name : trial.tensor_names().value_or(std::vector<std::string>()))
    if (const auto tensor = trial.tensor(name)) tensors.emplace_back(name, tensor_json(trial, *tensor));
  shown.emplace_back("tensors", std::move(tensors));
  if (Json tensorboard = tensorboard_json(folder); !tensorboard.is_null()) shown.emplace_back("tensorboard", std::move(tensorboard));
  // What these three say is known after all the questions.
  shown.emplace_back("loaded_all_steps", trial.loaded_all_steps());
  shown.emplace_back("last_complete_step", trial.last_complete_step());
  const std::string token = trial.last_index_token();
  shown.emplace_back("last_index_token", token.empty() ? Json() : Json(token));
  shown.emplace_back("files", files());
  return shown;
}

}  // namespace conformance
