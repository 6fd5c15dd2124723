#include "loupe/select/plan.hpp"

#include <utility>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL result<void> Plan::prepare(CollectionSet& collections, const PlanDefaults& defaults) {
  if (is_prepared()) return fail(ErrorKind::invalid_state, "plan", "is prepared already");
  LOUPE_TRY(defaults.save.validate());
  for (const Collection& collection : collections) {
    if (collection.include_regex.empty() && collection.tensor_names.empty() &&
        !collections.may_be_empty(collection.name))
      return fail(ErrorKind::invalid_collection_configuration, collection.name, {});
    if (!collection.save) continue;
    if (auto outcome = collection.save->validate(); !outcome) {
      Error error = std::move(outcome).error();
      error.object = Text::join("collection ", collection.name.view(), ": ", error.object.view());
      return fail(std::move(error));
    }
  }

  collections.is_frozen_ = true;
  collections_ = &collections;
  const ModeSaveConfigs default_save = defaults.save;
  for (std::uint32_t number = 0; number < collections.size(); ++number) {
    Collection& collection = *collections.collections_[number].get();
    const CollectionClasses classes = collection_classes(collection.name);
    const bool numbers_only = classes.scalar || classes.summaries;
    if (numbers_only) collection.save_histogram = false;
    if (numbers_only) collection.reductions = ReductionConfig::raw_only();
    else if (!collection.reductions) collection.reductions = defaults.reductions;
    if (collection.save) collection.save->fill_from(default_save);
    else collection.save = default_save;
    if (!collections.is_included(collection.name)) continue;
    Decision part{.any = true,
                  .raw = collection.reductions->save_raw_tensor,
                  .shape = collection.reductions->save_shape,
                  .scalar_summary = classes.scalar,
                  .statistics = collection.reductions->statistics,
                  .histogram_collection = collection.save_histogram ? static_cast<std::int32_t>(number) : -1};
    saved_.push_back({number, classes, NameFilter(collection.include_regex, defaults.engine), *collection.save, part});
    for (const Error& error : saved_.back().filter.errors()) keep(error);
  }
  scratch_.resize(words());
  due_sets_.reserve(max_due_sets);
  due_sets_.push_back({scratch_, {}, {}});
  memberships_.emplace_back(words());
  due_ = &due_sets_.front();
  return {};
}

LOUPE_DECL bool Plan::begin_step(Mode mode, std::int64_t mode_step) {
  names_.restart();
  bool any = false;
  for (std::uint64_t& word : scratch_) word = 0;
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    const Saved& saved = saved_[index];
    if (saved.classes.training_only && (mode == Mode::eval || mode == Mode::predict)) continue;
    if (!saved.save.of(mode)->should_save(mode_step)) continue;
    scratch_[index / 64] |= std::uint64_t{1} << (index % 64);
    any = true;
  }
  if (due_->collections != scratch_) {
    due_ = nullptr;
    for (Due& seen : due_sets_)
      if (seen.collections == scratch_) due_ = &seen;
    if (due_ == nullptr) {
      if (due_sets_.size() < max_due_sets) {
        due_ = &due_sets_.emplace_back();
      } else {
        due_ = &due_sets_[oldest_due_set_];
        oldest_due_set_ = (oldest_due_set_ + 1) % max_due_sets;
        due_->decisions.clear();
        due_->is_wanted.clear();
      }
      due_->collections = scratch_;
    }
  }
  complete_decisions();
  return any;
}

LOUPE_DECL bool Plan::is_due(std::string_view collection) const noexcept {
  for (std::size_t index = 0; index < saved_.size(); ++index)
    if ((*collections_)[saved_[index].number].name == collection)
      return (due_->collections[index / 64] >> (index % 64) & 1) != 0;
  return false;
}

LOUPE_DECL void Plan::add_member(std::uint32_t tensor) {
  show_names();  // first, for adding the name may have moved them, and what follows may throw
  const std::string_view name = names_[tensor];
  Bits member(words());
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    Collection& collection = *collections_->collections_[saved_[index].number].get();
    bool has_name = collection.tensor_names.contains(name);
    if (!has_name) {
      auto found = saved_[index].filter.search(name);
      has_name = found && *found;
      if (has_name) collection.tensor_names.insert(name);
      if (!found) keep(found.error());
    }
    if (has_name) member[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  names_.set_tag(tensor, number_of(std::move(member)));
}

LOUPE_DECL std::uint32_t Plan::number_of(Bits member) {
  std::uint32_t known = undecided + 1;
  while (known < memberships_.size() && memberships_[known] != member) ++known;
  if (known == memberships_.size()) memberships_.push_back(std::move(member));
  complete_decisions();
  return known;
}

LOUPE_DECL result<void> Plan::add_to_collection(std::string_view tensor, std::string_view collection) {
  if (!is_prepared()) return fail(ErrorKind::invalid_state, "plan", "isn't prepared yet");
  const TensorId id = find_or_add(tensor);
  const std::uint32_t number = collections_->names_.find(collection);
  if (number == NameTable::none)
    return fail(ErrorKind::invalid_argument, collection, "there is no such collection; add it before the first step");
  collections_->collections_[number].get()->tensor_names.insert(tensor);
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    if (saved_[index].number != number) continue;
    Bits member = memberships_[names_.tag(id.value)];
    member[index / 64] |= std::uint64_t{1} << (index % 64);
    names_.set_tag(id.value, number_of(std::move(member)));
  }
  return {};
}

LOUPE_DECL void Plan::keep(const Error& error) {
  if (pattern_errors_.size() < max_pattern_errors) pattern_errors_.push_back(error);
}

LOUPE_DECL void Plan::complete_decisions() {
  due_->decisions.reserve(memberships_.size());
  due_->is_wanted.reserve(memberships_.size());
  for (std::size_t index = due_->is_wanted.size(); index < memberships_.size(); ++index) {
    const Decision decision = decide(due_->collections, memberships_[index]);
    due_->decisions.push_back(decision);
    due_->is_wanted.push_back(decision.any || index == undecided ? 1 : 0);
  }
  show_names();
}

LOUPE_DECL void Plan::show_names() noexcept {
  known_names_ = names_.known();
  known_names_.is_wanted = due_->is_wanted.data();
}

LOUPE_DECL Decision Plan::decide(const Bits& due, const Bits& membership) const {
  Decision decision;
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    if (((due[index / 64] & membership[index / 64]) >> (index % 64) & 1) == 0) continue;
    const Decision& part = saved_[index].part;
    decision.any = true;
    decision.raw |= part.raw;
    decision.shape |= part.shape;
    decision.scalar_summary |= part.scalar_summary;
    decision.statistics |= part.statistics;
    if (decision.histogram_collection < 0) decision.histogram_collection = part.histogram_collection;
  }
  return decision;
}

}  // namespace loupe::inline LOUPE_ABI
