#include "loupe/format/collections_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loupe/wire/json_reader.hpp"
#include "loupe/wire/json_writer.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The parser of one document.
class CollectionsParser {
 public:
  CollectionsParser(std::string_view text, std::string_view file) noexcept : json_(text, file), file_(file) {}

  result<CollectionsFile> parse() {
    CollectionsFile parsed;
    bool has_meta = false;
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      if (*key == "collections") {
        LOUPE_TRY(parse_collections(parsed.collections));
      } else if (*key == "_meta") {
        LOUPE_ASSIGN(parsed.num_workers, parse_meta());
        has_meta = true;
      } else {
        return json_.fail_here("the document has a key besides collections and _meta");
      }
    }
    LOUPE_TRY(json_.finish());
    if (!has_meta) return fail(ErrorKind::corrupt, file_, "the document has no _meta");
    return parsed;
  }

 private:
  /// Calls `take(key)`, which reads the value, for each key of the object that comes next.
  template <class Take>
  result<void> for_each_key(Take&& take) {
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) return {};
      LOUPE_TRY(take(*key));
    }
  }
  /// Calls `take()`, which reads the element, for each element of the array that comes next.
  template <class Take>
  result<void> for_each_element(Take&& take) {
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      LOUPE_TRY(take());
    }
  }
  /// Whether the value that comes next is null, which is then read.
  result<bool> take_null() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type != wire::JsonType::null) return false;
    LOUPE_TRY(json_.read_null());
    return true;
  }

  result<std::int64_t> parse_meta() {
    std::int64_t workers = 1;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      if (key != "num_workers") return json_.skip_value();
      LOUPE_ASSIGN(workers, read_count("num_workers is not a number of workers"));
      if (workers < 1) return json_.fail_here("num_workers is below 1");
      return {};
    }));
    return workers;
  }

  result<void> parse_collections(CollectionSet& collections) {
    return for_each_key([&](std::string_view key) -> result<void> {
      Collection collection{.name = key};
      LOUPE_TRY(for_each_key([&](std::string_view field) { return parse_field(collection, field); }));
      LOUPE_TRY(collections.add(std::move(collection)));
      return {};
    });
  }

  result<void> parse_field(Collection& collection, std::string_view field) {
    if (field == "name") {
      LOUPE_ASSIGN(const std::string_view name, json_.read_string(text_));
      collection.name = Text(name);
    } else if (field == "include_regex") {
      LOUPE_TRY(parse_texts([&](std::string_view pattern) { collection.include(pattern); }));
    } else if (field == "tensor_names") {
      LOUPE_TRY(parse_texts([&](std::string_view tensor) { collection.add_tensor(tensor); }));
    } else if (field == "reduction_config") {
      LOUPE_ASSIGN(collection.reductions, parse_reductions());
    } else if (field == "save_config") {
      LOUPE_ASSIGN(collection.save, parse_save());
    } else if (field == "save_histogram") {
      LOUPE_ASSIGN(collection.save_histogram, json_.read_bool());
    } else {
      return json_.skip_value();
    }
    return {};
  }

  /// A list of texts; null or false, as smdebug keeps a missing one, is an empty list.
  template <class Take>
  result<void> parse_texts(Take&& take) {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::null || type == wire::JsonType::boolean) return json_.skip_value();
    return for_each_element([&]() -> result<void> {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(text_));
      take(text);
      return {};
    });
  }

  result<std::optional<ReductionConfig>> parse_reductions() {
    LOUPE_ASSIGN(const bool is_null, take_null());
    if (is_null) return std::optional<ReductionConfig>();
    ReductionConfig config;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      if (key == "reductions") {
        LOUPE_ASSIGN(const std::string_view words, json_.read_string(text_));
        auto statistics = parse_statistics(words);
        if (!statistics) return json_.fail_here(statistics.error().message());
        config.statistics = *std::move(statistics);
      } else if (key == "save_raw_tensor") {
        LOUPE_ASSIGN(config.save_raw_tensor, json_.read_bool());
      } else if (key == "save_shape") {
        LOUPE_ASSIGN(config.save_shape, json_.read_bool());
      } else {
        return json_.skip_value();
      }
      return {};
    }));
    return std::optional(std::move(config));
  }

  result<std::optional<ModeSaveConfigs>> parse_save() {
    LOUPE_ASSIGN(const bool is_null, take_null());
    if (is_null) return std::optional<ModeSaveConfigs>();
    ModeSaveConfigs configs;
    std::size_t position = 0;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      const std::optional<Mode> mode = mode_from_name(key);
      if (!mode) return json_.fail_here("a save_config names a mode that is none of TRAIN, EVAL, PREDICT, GLOBAL");
      LOUPE_ASSIGN(const bool has_none, take_null());
      if (!has_none) {
        LOUPE_ASSIGN(ModeSaveConfig config, parse_mode_save());
        configs.set(*mode, std::move(config));
      }
      if (position < mode_count) configs.place(*mode, position++);
      return {};
    }));
    return std::optional(std::move(configs));
  }

  result<ModeSaveConfig> parse_mode_save() {
    ModeSaveConfig config;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      if (key == "save_interval") {
        LOUPE_ASSIGN(config.interval, read_count("save_interval is not a number"));
      } else if (key == "start_step") {
        LOUPE_ASSIGN(const bool is_null, take_null());
        if (!is_null) LOUPE_TRY(assign(config.start_step, read_count("start_step is not a number")));
      } else if (key == "end_step") {
        LOUPE_ASSIGN(const bool is_null, take_null());
        if (is_null) return {};
        LOUPE_ASSIGN(config.end_step, read_count("end_step is not a number"));
      } else if (key == "save_steps") {
        return for_each_element([&]() -> result<void> {
          LOUPE_ASSIGN(const std::int64_t step, read_count("a step of save_steps is not a number"));
          config.save_steps.push_back(step);
          return {};
        });
      } else {
        return json_.skip_value();
      }
      return {};
    }));
    return config;
  }

  static result<void> assign(std::int64_t& to, result<std::int64_t> from) {
    LOUPE_ASSIGN(to, std::move(from));
    return {};
  }

  /// An integer; a number with a fraction loses it, as in Python's `int`.
  result<std::int64_t> read_count(const char* otherwise) {
    LOUPE_ASSIGN(const double number, json_.read_double());
    if (!(__builtin_fabs(number) < 9.0e18)) return json_.fail_here(otherwise);
    return static_cast<std::int64_t>(number);
  }

  wire::JsonReader json_;
  std::string_view file_;
  std::string scratch_;
  std::string text_;
};

inline void write_mode_save(wire::JsonWriter& json, const std::optional<ModeSaveConfig>& config) {
  if (!config) {
    json.null();
    return;
  }
  json.begin_object().key("save_interval").number(config->interval).key("save_steps").begin_array();
  for (const std::int64_t step : config->save_steps) json.number(step);
  json.end_array().key("start_step").number(config->start_step).key("end_step");
  if (config->end_step) json.number(*config->end_step);
  else json.null();
  json.end_object();
}

inline void write_collection(wire::JsonWriter& json, const Collection& collection) {
  json.key(collection.name).begin_object().key("name").string(collection.name).key("include_regex").begin_array();
  for (const Text& pattern : collection.include_regex) json.string(pattern);
  json.end_array().key("tensor_names").begin_array();
  std::vector<std::string_view> names;
  for (const std::string_view name : collection.tensor_names) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string_view name : names) json.string(name);
  json.end_array().key("reduction_config");
  if (collection.reductions) {
    json.begin_object().key("save_raw_tensor").boolean(collection.reductions->save_raw_tensor);
    json.key("reductions").string(statistics_text(collection.reductions->statistics));
    json.key("save_shape").boolean(collection.reductions->save_shape).end_object();
  } else {
    json.null();
  }
  json.key("save_config");
  if (collection.save) {
    json.begin_object();
    for (std::size_t position = 0; position < mode_count; ++position) {
      const Mode mode = collection.save->mode_at(position);
      json.key(mode_name(mode));
      write_mode_save(json, collection.save->of(mode));
    }
    json.end_object();
  } else {
    json.null();
  }
  json.key("save_histogram").boolean(collection.save_histogram).end_object();
}

}  // namespace detail

LOUPE_DECL result<CollectionsFile> read_collections(std::string_view text, std::string_view file) {
  return detail::CollectionsParser(text, file).parse();
}

LOUPE_DECL void write_collections_file(ByteBuffer& out, const CollectionSet& collections, std::int64_t num_workers) {
  wire::JsonWriter json(out);
  json.begin_object().key("collections").begin_object();
  for (const Collection& collection : collections) detail::write_collection(json, collection);
  json.end_object().key("_meta").begin_object().key("num_workers").number(num_workers).end_object().end_object();
}

}  // namespace loupe::inline LOUPE_ABI::format
