#include "loupe/format/hook_config.hpp"

#include <string>
#include <utility>

#include "loupe/format/config_values.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The save settings that stand in one place of a configuration.
struct GivenSave {
  std::optional<std::int64_t> interval;
  std::optional<std::int64_t> start_step;
  std::optional<std::int64_t> end_step;
  std::optional<std::vector<std::int64_t>> save_steps;

  [[nodiscard]] bool empty() const noexcept { return !interval && !start_step && !end_step && !save_steps; }
  void apply_to(ModeSaveConfig& config) const {
    if (interval) config.interval = *interval;
    if (start_step) config.start_step = *start_step;
    if (end_step) config.end_step = *end_step;
    if (save_steps) config.save_steps = *save_steps;
  }
};

/// The settings for all modes, and those for one.
struct GivenSaves {
  GivenSave general;
  GivenSave of_mode[mode_count];

  [[nodiscard]] bool empty() const noexcept {
    bool none = general.empty();
    for (const GivenSave& given : of_mode) none = none && given.empty();
    return none;
  }
  void apply_to(ModeSaveConfig& config, Mode mode) const {
    general.apply_to(config);
    of_mode[mode_index(mode)].apply_to(config);
  }
};

/// The keys that hooks and collections share.
struct GivenParameters {
  GivenSaves save;
  std::vector<Text> include_regex;
  std::optional<StatisticList> reductions;
  std::optional<bool> save_raw_tensor;
  std::optional<bool> save_shape;
  std::optional<bool> save_histogram;

  [[nodiscard]] std::optional<ReductionConfig> reduction_config(const HookConfigQuirks& quirks) const {
    const bool has_flags = save_raw_tensor || save_shape;
    if (!reductions && (!has_flags || quirks.flags_need_reductions)) return std::nullopt;
    return ReductionConfig{.statistics = reductions.value_or(StatisticList()),
                           .save_raw_tensor = save_raw_tensor.value_or(false),
                           .save_shape = save_shape.value_or(false)};
  }
};

struct GivenCollection {
  Text name;
  GivenParameters parameters;
};

class HookConfigParser {
 public:
  HookConfigParser(std::string_view text, std::string_view file, const HookConfigContext& context)
      : in_(text, file, context.quirks.refuses_lists),
        file_(file),
        context_(context),
        quirks_(context.quirks) {}

  result<HookParameters> parse() {
    LOUPE_TRY(in_.for_each_key("", [&](std::string_view key) -> result<void> {
      if (key == "LocalPath") return assign(out_.out_dir, in_.read_text());
      if (key == "HookParameters") return read_hook_parameters();
      if (key == "CollectionConfigurations") return read_collections();
      return in_.json().skip_value();
    }));
    LOUPE_TRY(in_.json().finish());
    LOUPE_TRY(resolve());
    return std::move(out_);
  }

 private:
  template <class Target, class Value>
  static result<void> assign(Target& target, result<Value>&& value) {
    if (!value) return unexpected<Error>(std::move(value).error());
    target = *std::move(value);
    return {};
  }

  /// `save_raw_tensor` and `save_shape`.
  result<bool> read_saving_flag() {
    LOUPE_ASSIGN(const wire::JsonType type, in_.json().peek());
    if (quirks_.flags_need_reductions && type != wire::JsonType::boolean) {
      // smdebug looks at the value only if there are reductions: so it is kept for then.
      LOUPE_TRY(in_.json().skip_value());
      misplaced_flag_ = true;
      return false;
    }
    return in_.read_flag();
  }

  result<void> read_patterns(std::vector<Text>& patterns) {
    patterns.clear();
    return in_.read_words("patterns, comma-separated or in a list", [&](std::string_view pattern) -> result<void> {
      if (!pattern.empty()) patterns.emplace_back(pattern);
      return {};
    });
  }

  result<void> read_reductions(GivenParameters& given) {
    given.reductions.emplace();
    return in_.read_words("reductions, comma-separated or in a list", [&](std::string_view word) -> result<void> {
      auto one = parse_statistics(word);
      if (!one) return in_.refuse(ErrorKind::invalid_argument, one.error().detail);
      for (const Statistic statistic : *one) given.reductions->push_back(statistic);
      return {};
    });
  }

  result<void> read_save_setting(GivenSave& given, std::string_view key) {
    if (key == "save_interval") return assign(given.interval, in_.read_number());
    if (key == "start_step") return assign(given.start_step, in_.read_number());
    if (key == "end_step") return assign(given.end_step, in_.read_number());
    given.save_steps.emplace();
    return in_.read_words("steps, comma-separated or in a list", [&](std::string_view word) -> result<void> {
      LOUPE_ASSIGN(const std::int64_t step, in_.to_number(word));
      given.save_steps->push_back(step);
      return {};
    });
  }
  static bool is_save_setting(std::string_view key) noexcept {
    return key == "save_interval" || key == "start_step" || key == "end_step" || key == "save_steps";
  }

  /// Reads a key that hooks and collections share; false if it is none of those, and nothing is read.
  result<bool> read_shared(GivenParameters& given, std::string_view key) {
    GivenSave* place = &given.save.general;
    std::string_view setting = key;
    for (const Mode mode : all_modes) {
      const std::string_view name = mode_config_name(mode);
      if (!key.starts_with(name) || !key.substr(name.size()).starts_with('.')) continue;
      place = &given.save.of_mode[mode_index(mode)];
      setting = key.substr(name.size() + 1);
    }
    if (is_save_setting(setting)) LOUPE_TRY(read_save_setting(*place, setting));
    else if (key == "include_regex") LOUPE_TRY(read_patterns(given.include_regex));
    else if (key == "reductions") LOUPE_TRY(read_reductions(given));
    else if (key == "save_raw_tensor") LOUPE_TRY(assign(given.save_raw_tensor, read_saving_flag()));
    else if (key == "save_shape") LOUPE_TRY(assign(given.save_shape, read_saving_flag()));
    else return false;
    return true;
  }
  result<void> check_flags(const GivenParameters& given, std::string_view where) {
    if (!std::exchange(misplaced_flag_, false) || !given.reductions) return {};
    return fail(ErrorKind::invalid_argument, file_,
                Text::join(where, ": save_raw_tensor and save_shape must be JSON booleans"));
  }

  result<void> read_hook_parameters() {
    hook_ = {};
    LOUPE_TRY(in_.for_each_key("HookParameters", [&](std::string_view key) -> result<void> {
      LOUPE_ASSIGN(const bool is_read, read_shared(hook_, key));
      if (is_read) return {};
      if (key == "save_all") return assign(out_.save_all, in_.read_flag());
      if (key == "include_workers") return read_include_workers();
      if (key == "dry_run" && !quirks_.ignores_dry_run) return assign(out_.dry_run, in_.read_flag());
      if (context_.in_sagemaker_job) return in_.json().skip_value();
      if (key == "export_tensorboard") return assign(out_.export_tensorboard, in_.read_flag());
      if (key == "tensorboard_dir") return assign(out_.tensorboard_dir, in_.read_text());
      return in_.json().skip_value();
    }));
    return check_flags(hook_, "HookParameters");
  }

  result<void> read_include_workers() {
    LOUPE_ASSIGN(const Text workers, in_.read_text());
    out_.include_all_workers = workers == "all";
    if (workers != "all" && workers != "one" && !quirks_.takes_any_include_workers)
      return in_.refuse_text(workers, "one or all");
    return {};
  }

  result<void> read_collections() {
    collections_.clear();
    LOUPE_ASSIGN(const wire::JsonType type, in_.json().peek());
    if (type == wire::JsonType::null) return in_.json().read_null();
    if (type != wire::JsonType::array) return in_.refuse_type(type, "a list");
    LOUPE_TRY(in_.json().begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, in_.json().next_element());
      if (!has_next) return {};
      GivenCollection given;
      const std::string where = "CollectionConfigurations[" + std::to_string(collections_.size()) + "]";
      in_.go_to(where);
      LOUPE_TRY(in_.for_each_key(where, [&](std::string_view key) -> result<void> {
        if (key == "CollectionName") return assign(given.name, in_.read_text());
        if (key != "CollectionParameters") return in_.json().skip_value();
        given.parameters = {};
        return in_.for_each_key(where + ".CollectionParameters", [&](std::string_view parameter) -> result<void> {
          if (parameter == "save_histogram") return assign(given.parameters.save_histogram, in_.read_flag());
          LOUPE_ASSIGN(const bool is_read, read_shared(given.parameters, parameter));
          if (is_read) return {};
          return in_.json().skip_value();
        });
      }));
      if (given.name.empty())
        return fail(ErrorKind::invalid_argument, file_, Text::join(where, " lacks a CollectionName"));
      LOUPE_TRY(check_flags(given.parameters, where));
      collections_.push_back(std::move(given));
    }
  }

  // Resolving: what a collection leaves open the hook says, and what the hook leaves open the framework.

  result<void> resolve() {
    ModeSaveConfig base{.interval = context_.defaults.save_interval};
    hook_.save.general.apply_to(base);
    out_.save = {base.interval, base.start_step, base.end_step, base.save_steps, {}, {}, {}, {}};
    std::optional<ModeSaveConfig>* const own[] = {&out_.save.train, &out_.save.eval, &out_.save.predict,
                                                  &out_.save.global};
    for (const Mode mode : all_modes) {
      const GivenSave& given = hook_.save.of_mode[mode_index(mode)];
      if (given.empty()) continue;
      *own[mode_index(mode)] = base;
      given.apply_to(**own[mode_index(mode)]);
    }
    LOUPE_TRY(check(out_.save.validate(), "HookParameters"));
    out_.include_regex = std::move(hook_.include_regex);
    if (auto reductions = hook_.reduction_config(quirks_)) out_.reductions = *std::move(reductions);
    for (const GivenCollection& given : collections_) LOUPE_TRY(resolve(given));
    return {};
  }

  result<void> resolve(const GivenCollection& given) {
    Collection& collection = listed(given.name);
    for (const Text& pattern : given.parameters.include_regex) collection.include(pattern);
    if (auto reductions = given.parameters.reduction_config(quirks_)) collection.reductions = std::move(reductions);
    if (given.parameters.save_histogram) collection.save_histogram = *given.parameters.save_histogram;
    collection.save.reset();
    if (given.parameters.save.empty() && !quirks_.collections_forget_framework) return {};
    collection.save.emplace();
    for (const Mode mode : all_modes) {
      ModeSaveConfig config;
      if (!quirks_.collections_forget_framework) config.interval = context_.defaults.save_interval;
      hook_.save.apply_to(config, mode);
      given.parameters.save.apply_to(config, mode);
      collection.save->set(mode, std::move(config));
    }
    return check(collection.save->validate(), Text::join("collection ", given.name.view()));
  }

  Collection& listed(std::string_view name) {
    for (Collection& collection : out_.collections)
      if (collection.name == name) return collection;
    Collection& collection = out_.collections.emplace_back();
    collection.name = name;
    for (const DefaultCollection& known : context_.defaults.collections)
      if (known.name == name && !known.pattern.empty()) collection.include(known.pattern);
    return collection;
  }

  [[nodiscard]] result<void> check(result<void>&& outcome, std::string_view where) const {
    if (outcome || quirks_.takes_any_number) return {};
    return fail(ErrorKind::invalid_argument, file_, Text::join(where, ": ", outcome.error().message().view()));
  }

  ConfigValues in_;
  std::string_view file_;
  const HookConfigContext& context_;
  const HookConfigQuirks& quirks_;
  HookParameters out_;
  GivenParameters hook_;
  std::vector<GivenCollection> collections_;
  bool misplaced_flag_ = false;
};

}  // namespace detail

LOUPE_DECL result<HookParameters> parse_hook_config(std::string_view text, std::string_view file,
                                                    const HookConfigContext& context) {
  return detail::HookConfigParser(text, file, context).parse();
}

LOUPE_DECL result<std::optional<Text>> parse_local_path(std::string_view text, std::string_view file) {
  wire::JsonReader json(text, file);
  std::optional<Text> path;
  std::string scratch;
  LOUPE_TRY(json.begin_object());
  while (true) {
    LOUPE_ASSIGN(const auto key, json.next_key(scratch));
    if (!key) break;
    if (*key == "LocalPath") {
      LOUPE_ASSIGN(path, json.read_string(scratch));
    } else {
      LOUPE_TRY(json.skip_value());
    }
  }
  LOUPE_TRY(json.finish());
  return path;
}

}  // namespace loupe::inline LOUPE_ABI::format
