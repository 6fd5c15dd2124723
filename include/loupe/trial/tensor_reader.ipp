#include <string>
#include <utility>

#include "loupe/format/event.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/format/smdebug_compat.hpp"
#include "loupe/trial/tensor_reader.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// The elements of a record, in place or taken over.
inline ValueView value_of(format::DecodedEvent event, std::shared_ptr<const void> owner) {
  if (event.values.type() != ElementType::none) return ValueView(std::move(event.values));
  return ValueView(event.view(), std::move(owner));
}

}  // namespace detail

LOUPE_DECL result<TensorReader::Place> TensorReader::locate(const Interned* tensor, ModeStep at, std::string_view worker) {
  Place place{follower_.snapshot(), {}, at};
  LOUPE_ASSIGN(std::optional<TensorStep> found, place.snapshot->locate(tensor, at, worker));
  if (!found) {
    LOUPE_ASSIGN(const StepState state, follower_.has_passed_step(at));
    Error absent{.object = tensor->name, .step = at.value, .mode = at.mode};
    if (state != StepState::available) {
      const bool may_come = state == StepState::not_yet_available;
      absent.kind = may_come ? ErrorKind::step_not_yet_available : ErrorKind::step_unavailable;
      absent.reason = may_come ? Absence::not_yet : Absence::never_saved;
      return fail(std::move(absent));
    }
    place.snapshot = follower_.snapshot();
    LOUPE_ASSIGN(found, place.snapshot->locate(tensor, at, worker));
    if (!found) {
      absent.kind = ErrorKind::tensor_unavailable_for_step;
      absent.reason = Absence::never_saved;
      return fail(std::move(absent));
    }
  }
  place.step = *found;
  return place;
}

/// Why there is no value at a place that has something else of the tensor.
LOUPE_DECL Error TensorReader::unavailable(const Place& place) const {
  Error error{.kind = ErrorKind::tensor_unavailable_for_step,
              .object = place.step.tensor->name,
              .step = place.asked.value,
              .mode = place.asked.mode,
              .reason = Absence::only_shape};
  std::string names;
  for (const std::uint16_t part : place.step.reductions())
    names.append(names.empty() ? "saved are " : ", ").append(place.snapshot->reduction(part).name.view());
  if (!names.empty()) {
    error.reason = Absence::only_reduced;
    error.has_reductions = true;
    error.detail = names;
  }
  return error;
}

/// What a failure to read means for the tensor: its file is lost, or its bytes are damaged.
LOUPE_DECL Error TensorReader::unreadable(const Place& place, Error error) const {
  const bool is_lost = error.kind == ErrorKind::not_found;
  const bool is_damaged = error.kind == ErrorKind::corrupt || error.kind == ErrorKind::limit_exceeded ||
                          error.kind == ErrorKind::unsupported || error.kind == ErrorKind::invalid_argument;
  if (!is_lost && (!is_damaged || quirks_.smdebug_values)) return error;
  return Error{.kind = ErrorKind::tensor_unavailable_for_step,
               .object = place.step.tensor->name,
               .detail = error.message(),
               .step = place.step.at.value,
               .mode = place.step.at.mode,
               .offset = error.offset,
               .reason = is_lost ? Absence::lost : Absence::corrupt};
}

LOUPE_DECL result<DecodedValue> TensorReader::read(const Place& place, TensorStep::Found found) {
  const auto decode = [&]() -> result<DecodedValue> {
    LOUPE_ASSIGN(EventPayload payload, files_.payload(*found.block, *found.entry));
    const auto offset = static_cast<std::int64_t>(payload.offset);
    if (quirks_.smdebug_values) {
      LOUPE_ASSIGN(format::SmdebugValue value, format::decode_event_as_smdebug(payload.bytes, payload.file, offset));
      return DecodedValue{detail::value_of(std::move(value.event), std::move(payload.owner)), value.has_shape};
    }
    LOUPE_ASSIGN(format::DecodedEvent event, format::decode_event(payload.bytes, payload.file, offset));
    if (!event.has_tensor()) return fail_at(ErrorKind::corrupt, payload.file, offset, "the record has no tensor");
    const auto reduction = format::split_reduction_name(event.tag);
    const std::string_view tensor = reduction ? reduction->tensor : event.tag;
    const bool is_reduction = found.entry->part != value_part;
    bool is_named = tensor == place.step.tensor->name && reduction.has_value() == is_reduction;
    if (is_named && is_reduction)
      is_named = full_reduction_name(reduction->operation, reduction->absolute) == place.snapshot->reduction(static_cast<std::uint16_t>(found.entry->part)).name;
    if (!is_named)
      return fail_at(ErrorKind::corrupt, payload.file, offset, Text::join("the record is of tensor ", event.tag));
    return DecodedValue{detail::value_of(std::move(event), std::move(payload.owner))};
  };
  result<DecodedValue> decoded = decode();
  if (!decoded) return fail(unreadable(place, std::move(decoded).error()));
  return decoded;
}

LOUPE_DECL result<DecodedValue> TensorReader::read_value(const Place& place) {
  const TensorStep::Found found = place.step.find(value_part);
  if (!found) return fail(unavailable(place));
  return read(place, found);
}

LOUPE_DECL result<ValueView> TensorReader::value(const Interned* tensor, ModeStep at, std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  LOUPE_ASSIGN(DecodedValue decoded, read_value(place));
  return std::move(decoded.value);
}

LOUPE_DECL result<ValueView> TensorReader::part(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& step,
                                                TensorStep::Found found) {
  LOUPE_ASSIGN(DecodedValue decoded, read({snapshot, step, step.at}, found));
  return std::move(decoded.value);
}

LOUPE_DECL result<Shape> TensorReader::shape(const Interned* tensor, ModeStep at, std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  if (const TensorStep::Found found = place.step.find(shape_part)) return found.block->shape(*found.entry);
  result<DecodedValue> decoded = read_value(place);
  if (!decoded) {
    Error error = std::move(decoded).error();
    if (error.kind == ErrorKind::tensor_unavailable_for_step) {
      error.kind = ErrorKind::shape_unavailable_for_step;
      error.step = at.value;
      error.mode = at.mode;
    }
    return fail(std::move(error));
  }
  if (!decoded->has_shape) return fail(ErrorKind::not_implemented, tensor->name, "the value has no shape");
  return decoded->value.shape();
}

LOUPE_DECL result<ReductionValue> TensorReader::read_reduction(const Place& place, std::uint16_t part) {
  LOUPE_ASSIGN(DecodedValue decoded, read(place, place.step.find(part)));
  ReductionValue reduction{place.snapshot->reduction(part).name, {}, std::move(decoded.value)};
  reduction.number = load_scalar(reduction.stored.view());
  if (!reduction.number.has_value() && !quirks_.smdebug_values)
    return fail(unreadable(place, {.kind = ErrorKind::corrupt, .object = reduction.name, .detail = "a reduction must be one number"}));
  return reduction;
}

LOUPE_DECL result<ReductionValue> TensorReader::reduction(const Interned* tensor, ModeStep at, std::string_view name,
                                                          std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  if (const auto part = place.snapshot->reduction_part(name); part && place.step.find(*part))
    return read_reduction(place, *part);
  const TensorStep::Found found = place.step.find(value_part);
  if (!found) {
    Error error = unavailable(place);
    if (quirks_.error_names_reduction) {
      error.object = name;
      error.has_reductions = false;
    }
    return fail(std::move(error));
  }
  const std::optional<Statistic> statistic = statistic_from_name(name);
  const bool is_known = statistic && (!quirks_.smdebug_reductions_only || smdebug_statistics.contains(*statistic));
  const auto unknown = [&] {
    return fail(ErrorKind::invalid_argument, name,
                "no such reduction; there are min max mean std variance sum prod l1 l2, each also with abs_ before it, nan_count "
                "positive_infinity_count negative_infinity_count zero_count first_non_finite");
  };
  if (!is_known && !quirks_.smdebug_reductions_only) return unknown();
  LOUPE_ASSIGN(const DecodedValue decoded, read(place, found));
  if (!is_known) return unknown();
  TensorView view = decoded.value.view();
  if (!view.has_tensor()) return fail(ErrorKind::invalid_type, tensor->name, "there is no value to reduce");
  // numpy makes a list of a bare truth value before it reduces it.
  if (!decoded.has_shape) view = TensorView(view.data, view.type, {1});
  LOUPE_ASSIGN(const Scalar number, compute_(view, *statistic));
  return ReductionValue{name, number, {}};
}

LOUPE_DECL result<std::vector<ReductionValue>> TensorReader::saved_reductions(const Interned* tensor, ModeStep at,
                                                                              std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  std::vector<ReductionValue> saved;
  for (const std::uint16_t part : place.step.reductions()) {
    LOUPE_ASSIGN(ReductionValue reduction, read_reduction(place, part));
    saved.push_back(std::move(reduction));
  }
  return saved;
}

}  // namespace loupe::inline LOUPE_ABI
