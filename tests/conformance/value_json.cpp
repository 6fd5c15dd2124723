#include "conformance/value_json.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "conformance/sha256.hpp"

namespace conformance {
namespace {

constexpr std::int64_t most_elements_shown = 64;

template <class Type>
Json element_json(const Type& element) {
  if constexpr (std::same_as<Type, bool> || std::same_as<Type, std::string_view>) return element;
  else if constexpr (std::same_as<Type, loupe::Float16> || std::same_as<Type, loupe::BFloat16>)
    return json_number(static_cast<double>(to_float(element)));
  else if constexpr (std::same_as<Type, loupe::Complex64> || std::same_as<Type, loupe::Complex128>)
    return Array{json_number(element.real), json_number(element.imaginary)};
  else if constexpr (std::is_floating_point_v<Type>) return json_number(element);
  else if constexpr (std::is_signed_v<Type>) return static_cast<std::int64_t>(element);
  else return static_cast<std::uint64_t>(element);
}

/// Elements from `next` on, nested as the axes from `axis` on say.
template <class Type>
Json nested(const loupe::Shape& shape, std::size_t axis, const std::byte*& next) {
  if (axis == shape.size()) {
    const Type element = loupe::load_element<Type>(next);
    next += sizeof(Type);
    return element_json(element);
  }
  Array items;
  for (std::int64_t i = 0; i < shape[axis]; ++i) items.push_back(nested<Type>(shape, axis + 1, next));
  return items;
}

template <class Type>
std::string hash(const loupe::TensorView& value) {
  Sha256 sha;
  const auto* first = static_cast<const std::byte*>(value.data);
  if constexpr (std::same_as<Type, std::string_view>) {
    for (std::int64_t i = 0; i < value.size(); ++i) {
      sha.add(std::as_bytes(std::span(loupe::load_element<std::string_view>(first + static_cast<std::size_t>(i) * sizeof(Type)))));
      sha.add(std::array{std::byte{0}});
    }
  } else {
    sha.add({first, value.byte_size()});
  }
  return sha.finish();
}

/// Sums for a comparison with tolerance; nothing for what isn't a real number.
template <class Type>
Json statistics(const loupe::TensorView& value) {
  if constexpr (std::is_arithmetic_v<Type> || std::same_as<Type, loupe::Float16> || std::same_as<Type, loupe::BFloat16>) {
    std::int64_t finite = 0;
    double least = INFINITY;
    double most = -INFINITY;
    double sum = 0;
    double absolute_sum = 0;
    Array first;
    const auto* elements = static_cast<const std::byte*>(value.data);
    for (std::int64_t i = 0; i < value.size(); ++i) {
      const Type element = loupe::load_element<Type>(elements + static_cast<std::size_t>(i) * sizeof(Type));
      if (i < 4) first.push_back(element_json(element));
      double number;
      if constexpr (std::is_arithmetic_v<Type>)
        number = static_cast<double>(element);
      else
        number = static_cast<double>(to_float(element));
      if (!std::isfinite(number)) continue;
      ++finite;
      least = std::min(least, number);
      most = std::max(most, number);
      sum += number;
      absolute_sum += std::abs(number);
    }
    return Object{{"finite", finite},           {"min", json_number(least)},           {"max", json_number(most)},
                  {"sum", json_number(sum)},    {"abs_sum", json_number(absolute_sum)}, {"first", std::move(first)}};
  } else {
    return nullptr;
  }
}

}  // namespace

Json shape_json(const loupe::Shape& shape) {
  Array sizes;
  for (const std::int64_t size : shape) sizes.push_back(size);
  return sizes;
}

Json value_json(const loupe::TensorView& value) {
  return loupe::visit_element_type(value.type, [&]<class Type>() -> Json {
    if constexpr (std::is_void_v<Type>) {
      return nullptr;
    } else {
      Object shown{{"dtype", loupe::element_type_name(value.type)}, {"shape", shape_json(value.shape)}};
      if (value.size() <= most_elements_shown) {
        const auto* next = static_cast<const std::byte*>(value.data);
        shown.emplace_back("data", nested<Type>(value.shape, 0, next));
      } else {
        shown.emplace_back("sha256", hash<Type>(value));
        if (Json stats = statistics<Type>(value); !stats.is_null()) shown.emplace_back("stats", std::move(stats));
      }
      return shown;
    }
  });
}

Json scalar_json(const loupe::Scalar& number) {
  const loupe::TensorView view = number.view();
  return loupe::visit_element_type(number.type(), [&]<class Type>() -> Json {
    if constexpr (std::is_void_v<Type>)
      return nullptr;
    else
      return element_json(loupe::load_element<Type>(view.data));
  });
}

Json error_json(const loupe::Error& error, Asked asked) {
  using loupe::ErrorKind;
  const auto named = [](std::string_view name) { return Json(Object{{"error", name}}); };
  switch (error.kind) {
    case ErrorKind::tensor_unavailable: return named("TensorUnavailable");
    case ErrorKind::tensor_unavailable_for_step: return named("TensorUnavailableForStep");
    case ErrorKind::shape_unavailable_for_step: return named("ShapeUnavailableForStep");
    case ErrorKind::step_unavailable: return named("StepUnavailable");
    case ErrorKind::step_not_yet_available: return named("StepNotYetAvailable");
    case ErrorKind::no_more_data: return named("NoMoreData");
    case ErrorKind::invalid_worker: return named("InvalidWorker");
    case ErrorKind::missing_collection_files: return named("MissingCollectionFiles");
    case ErrorKind::index_reader: return named("IndexReaderException");
    case ErrorKind::not_found: return named("KeyError");
    default: break;
  }
  if (asked == Asked::norm) return named(error.kind == ErrorKind::invalid_type ? "TypeError" : "ValueError");
  if (asked == Asked::reduction) {
    if (error.kind == ErrorKind::unsupported) return named("UFuncTypeError");
    return named(error.kind == ErrorKind::invalid_type ? "TypeError" : "ValueError");
  }
  if (asked == Asked::value) {
    // How smdebug's decoder fails: a missing type, a checksum (whose error class it forgot to import), a shape that
    // doesn't fit, a Python bool that is asked for its shape.
    if (error.kind == ErrorKind::unsupported) return named("KeyError");
    if (error.kind == ErrorKind::invalid_state) return named("NameError");
    if (error.kind == ErrorKind::not_implemented) return named("AttributeError");
    if (error.kind == ErrorKind::invalid_type) return named("SMDebugTypeError");
    if (error.kind == ErrorKind::invalid_argument) return named("SMDebugValueError");
    return named("ValueError");
  }
  if (asked == Asked::names) return named("ValueError");
  return named(error.kind == ErrorKind::invalid_argument ? "SMDebugValueError" : "ValueError");
}

}  // namespace conformance
