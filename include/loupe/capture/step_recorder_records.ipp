#include "loupe/capture/step_recorder.hpp"

#include <algorithm>

#include "loupe/base/contained.hpp"
#include "loupe/format/event.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/format/tensorboard.hpp"
#include "loupe/reduce/histogram.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL Selection StepRecorder::select(std::string_view name) {
  has_saved_ = true;
  auto outcome = contained("select a tensor", [&]() -> result<Selection> {
    const TensorId tensor = plan_.find_or_add(name);
    absorb_pattern_errors();
    return plan_.decision(tensor).any ? Selection{static_cast<std::int32_t>(tensor.value)} : Selection{};
  });
  if (outcome) return *outcome;
  absorb(std::move(outcome).error());
  return {};
}

LOUPE_DECL result<void> StepRecorder::record(Selection selection, const TensorView& tensor) {
  return contained("save a tensor", [&]() -> result<void> {
    if (buffer_ == nullptr || !tensor.has_tensor()) return {};
    const TensorId id{static_cast<std::uint32_t>(selection.tensor)};
    const std::string_view name = plan_.tensor_name(id);
    LOUPE_TRY(check_name_once(id, name));
    LOUPE_TRY(check(name, tensor));
    return record_due(name, plan_.decision(id), tensor);
  });
}

LOUPE_DECL void StepRecorder::save_probe(std::string_view name, const ProbeTensor& tensor) noexcept {
  if (plan_.known_names().pass_over(name)) return;
  const Selection selection = select(name);
  if (!selection) return;
  result<void> outcome =
      Extents::fits(tensor.rank)
          ? record(selection, {tensor.data, tensor.type, Shape(std::span(tensor.shape, tensor.rank))})
          : fail(ErrorKind::invalid_argument, name, "the tensor has more than 32 axes");
  if (!outcome) absorb(std::move(outcome).error());
}

LOUPE_DECL result<void> StepRecorder::check_name_once(TensorId tensor, std::string_view name) {
  if (tensor.value < checked_names_.size() && checked_names_[tensor.value]) return {};
  LOUPE_TRY(detail::check_tensor_name(name));
  if (tensor.value >= checked_names_.size()) checked_names_.resize(std::size_t{tensor.value} + 1);
  checked_names_[tensor.value] = true;
  return {};
}

LOUPE_DECL result<void> StepRecorder::check(std::string_view name, const TensorView& tensor) {
  if (!element_count(tensor.shape) || tensor.strides.size() != tensor.shape.size())
    return fail(ErrorKind::invalid_argument, name,
                "the tensor's shape and strides must have the same rank, and its sizes must be countable and not negative");
  if (element_size(tensor.type) == 0 && tensor.type != ElementType::none)
    return fail(ErrorKind::invalid_type, name, "the tensor's element type is a number that stands for none");
  if (!tensor.device.host_readable())
    return fail(ErrorKind::unsupported, name, "the tensor is in device memory that the host can't read; hand a host copy");
  if (tensor.data == nullptr && tensor.size() != 0)
    return fail(ErrorKind::invalid_argument, name, "the tensor has elements but no memory");
  return {};
}

LOUPE_DECL result<void> StepRecorder::record_due(std::string_view name, const Decision& decision, const TensorView& tensor) {
  const bool is_empty = tensor.byte_size() == 0;
  const bool keeps_raw = decision.raw && !is_empty && !raw_is_dropped_;
  if (decision.shape && (!keeps_raw || parts_.quirks.shape_beside_raw)) {
    buffer_->keep_shape(name, tensor.shape);
    buffer_->note_mode(mode_, current_mode_step(), true);
  }
  if (decision.raw && !is_empty && raw_is_dropped_ && !is_counted_reduced_) {
    is_counted_reduced_ = true;
    failures_.add_reduced_step();
  }
  result<void> outcome;
  const StatisticSet* const judged = judge_wants(name);
  if (const StatisticSet all = judged != nullptr ? decision.statistics | *judged : StatisticSet(decision.statistics); !all.empty())
    parts_.reduce(tensor, all, reduced_);
  else reduced_.clear();
  if (!decision.statistics.empty()) merge(outcome, record_reductions(name, decision.statistics));
  if (exports_tensorboard_ && decision.histogram_collection >= 0 && !is_empty && tensor.type != ElementType::boolean &&
      tensor.type != ElementType::string)
    merge(outcome,
          append_histogram(collections_[static_cast<std::size_t>(decision.histogram_collection)].name, name, tensor));
  if (keeps_raw) merge(outcome, append(buffer_->keep_text(name), step_time_, tensor));
  if (exports_tensorboard_ && decision.scalar_summary && tensor.size() == 1 && tensor.type != ElementType::string)
    merge(outcome, append_scalar_summary(name, step_time_, tensor));
  if (judged != nullptr) merge(outcome, show_judge(name, tensor));
  return outcome;
}

LOUPE_DECL result<void> StepRecorder::record_reductions(std::string_view name, StatisticSet wanted) {
  result<void> outcome;
  const auto append_value = [&](std::string_view operation, const Scalar& value) {
    const std::uint32_t tag = buffer_->text_end();
    format::append_reduction_name(buffer_->texts(), operation, name);
    const Scalar widened = Scalar::from(value.as_double());
    const auto one_element = [](const Scalar& scalar) { return TensorView(scalar.view().data, scalar.type(), {1}); };
    // A sum too large for any integer that Python reads is kept as a double.
    if (!append(tag, step_time_, one_element(value))) merge(outcome, append(tag, step_time_, one_element(widened)));
  };
  for (const Statistic statistic : reduced_.present & wanted) append_value(statistic_name(statistic), *reduced_.find(statistic));
  for (std::uint32_t index = 0; index < reduced_.custom_count; ++index)
    append_value(reduced_.custom[index].name, reduced_.custom[index].value);
  return outcome;
}

LOUPE_DECL result<void> StepRecorder::append(std::uint32_t tag_begin, double wall_time, const TensorView& tensor) {
  const std::uint32_t tag_size = buffer_->text_end() - tag_begin;
  const format::EventHeader header{wall_time, buffer_->step, mode_, current_mode_step()};
  const auto span = format::append_tensor_record(buffer_->events, header, buffer_->text(tag_begin, tag_size), tensor,
                                                 exact_types_ ? format::DtypePolicy::exact : format::DtypePolicy::widen_for_python);
  if (!span) return fail(span.error());
  buffer_->records.push_back({span->start, span->length, tag_begin, tag_size});
  buffer_->note_mode(mode_, current_mode_step(), false);
  ++counts_.tensors;
  counts_.bytes += span->length;
  return {};
}

LOUPE_DECL ByteBuffer& StepRecorder::summaries_of_mode() {
  StepBuffer::Summaries& of_mode = buffer_->summaries[mode_index(mode_)];
  if (of_mode.records.empty()) {
    of_mode.step = buffer_->step;
    if (!parts_.quirks.no_tensorboard_version) format::append_version_record(of_mode.records, step_time_);
  }
  return of_mode.records;
}

LOUPE_DECL result<void> StepRecorder::append_scalar_summary(std::string_view name, double wall_time, const TensorView& tensor) {
  const Text tag = format::clean_tag(name);
  double number = 0;
  visit_element_type(tensor.type, [&]<class Type>() {
    if constexpr (!std::is_void_v<Type> && !std::same_as<Type, std::string_view>)
      number = Scalar::from(load_element<Type>(tensor.data)).as_double();
  });
  return format::append_scalar_summary(summaries_of_mode(), wall_time, buffer_->step, tag, static_cast<float>(number));
}

LOUPE_DECL result<void> StepRecorder::append_histogram(std::string_view collection, std::string_view name, const TensorView& tensor) {
  const auto histogram = make_histogram(tensor);
  if (!histogram) return {};
  const Text tag = format::clean_tag(Text::join(collection, "/", name));
  return format::append_histogram_summary(summaries_of_mode(), step_time_, buffer_->step, tag, *histogram);
}

LOUPE_DECL result<void> StepRecorder::record_scalar(std::string_view name, const TensorView& value, const ScalarOptions& options) {
  return contained("save a scalar", [&]() -> result<void> {
    if (is_closed_) return fail(ErrorKind::invalid_state, name, "a scalar was given after the hook was closed");
    if (!value.has_tensor()) return {};
    LOUPE_TRY(detail::check_tensor_name(name));
    LOUPE_TRY(check(name, value));
    if (value.size() != 1)
      return fail(ErrorKind::invalid_type, name, "a scalar must be a number, a text, or a tensor of exactly one element");
    if (!writes_ || config_.dry_run) return {};
    const double time = options.timestamp != 0 ? options.timestamp : now();
    if (parts_.quirks.scalars_wait || !is_open_) {
      LOUPE_ASSIGN(Array kept, Array::copy_of(value));
      scalars_.push_back({name, std::move(kept), time});
      return {};
    }
    return write_scalar(name, value, time);
  });
}

LOUPE_DECL result<void> StepRecorder::write_scalar(std::string_view name, const TensorView& value, double time) {
  if (buffer_ == nullptr && !take_buffer()) return {};
  const std::uint32_t tag = buffer_->keep_text(format::scalar_prefix, name);
  const std::uint32_t tag_size = buffer_->text_end() - tag;
  if (exports_tensorboard_ && value.type != ElementType::string)
    LOUPE_TRY(append_scalar_summary(buffer_->text(tag, tag_size), time, value));
  const TensorView as_written(value.data, value.type, {1});
  LOUPE_TRY(append(tag, time, as_written));
  // Looked up in a copy: the judge may ask for texts of its own.
  if (!is_judging_) return {};
  const Text written_name = buffer_->text(tag, tag_size);
  const StatisticSet* const judged = judge_wants(written_name);
  if (judged == nullptr) return {};
  parts_.reduce(as_written, *judged, reduced_);
  return show_judge(written_name, as_written);
}

LOUPE_DECL result<void> StepRecorder::write_waiting_scalars() {
  result<void> outcome;
  for (const WaitingScalar& scalar : scalars_)
    merge(outcome, write_scalar(scalar.name, scalar.value.view(), scalar.time));
  scalars_.clear();
  return outcome;
}

LOUPE_DECL result<void> StepRecorder::record_custom(std::string_view name, const TensorView& tensor,
                                                    std::span<const std::string_view> collections) {
  return contained("save a custom tensor", [&]() -> result<void> {
    if (!tensor.has_tensor()) return {};
    if (is_closed_) return fail(ErrorKind::invalid_state, name, "a tensor was given after the hook was closed");
    LOUPE_TRY(detail::check_tensor_name(name));
    LOUPE_TRY(check(name, tensor));
    constexpr std::string_view default_collection[] = {"default"};
    if (collections.empty()) collections = default_collection;
    if (parts_.quirks.custom_tensors_wait) {
      LOUPE_ASSIGN(Array kept, Array::copy_of(tensor));
      const auto same = std::find_if(custom_.begin(), custom_.end(), [&](const WaitingTensor& waiting) { return waiting.name == name; });
      WaitingTensor waiting{name, std::move(kept), collections.back()};
      if (same != custom_.end()) *same = std::move(waiting);
      else custom_.push_back(std::move(waiting));
      return {};
    }
    if (!is_open_) return fail(ErrorKind::invalid_state, name, "a custom tensor was given outside of a step");
    for (const std::string_view collection : collections) LOUPE_TRY(plan_.add_to_collection(name, collection));
    if (!target.armed) return {};
    const Selection selection = select(name);
    return selection ? record(selection, tensor) : result<void>();
  });
}

LOUPE_DECL result<void> StepRecorder::flush_custom() {
  return contained("write custom tensors", [&]() -> result<void> {
    if (!is_prepared_) return {};  // no step has begun that they could be written to
    result<void> outcome;
    for (const WaitingTensor& waiting : custom_) {
      if (auto added = plan_.add_to_collection(waiting.name, waiting.collection); !added) {
        merge(outcome, std::move(added));
        continue;
      }
      const auto& reductions = collections_.find(waiting.collection)->reductions;
      if (buffer_ == nullptr || !reductions || !reductions->save_raw_tensor || waiting.value.view().byte_size() == 0) continue;
      merge(outcome, append(buffer_->keep_text(waiting.name), step_time_, waiting.value.view()));
    }
    custom_.clear();
    return outcome;
  });
}

}  // namespace loupe::inline LOUPE_ABI
