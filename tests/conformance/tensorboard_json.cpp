#include "conformance/tensorboard_json.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "conformance/folder.hpp"
#include "loupe/wire/protobuf.hpp"
#include "loupe/wire/tfrecord.hpp"

namespace conformance {
namespace {

namespace wire = loupe::wire;

/// The answer of a reader; TensorBoard files of a trial are expected to be sound.
template <class Value>
Value sound(loupe::result<Value>&& outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().message().c_str());
  return *std::move(outcome);
}

template <class Visitor>
void for_each_field(wire::FieldReader message, Visitor&& visit) {
  while (const auto field = sound(message.next())) visit(*field);
}

std::vector<double> packed_doubles(std::span<const std::byte> bytes) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at + sizeof(double) <= bytes.size(); at += sizeof(double))
    numbers.push_back(wire::load_little_endian<double>(bytes.data() + at));
  return numbers;
}

Json histogram_json(const wire::Field& message, std::string_view file) {
  double numbers[6] = {};
  std::vector<double> limits;
  std::vector<double> counts;
  for_each_field(wire::FieldReader(message, file), [&](const wire::Field& field) {
    if (field.number >= 1 && field.number <= 5) numbers[field.number] = field.as_double();
    if (field.number == 6) limits = packed_doubles(field.bytes);
    if (field.number == 7) counts = packed_doubles(field.bytes);
  });
  Object shown;
  constexpr std::string_view names[] = {"", "min", "max", "num", "sum", "sum_squares"};
  for (std::size_t i = 1; i <= 5; ++i) shown.emplace_back(names[i], json_number(numbers[i]));
  shown.emplace_back("buckets", static_cast<std::int64_t>(counts.size()));
  shown.emplace_back("first_limit", limits.empty() ? Json() : json_number(limits.front()));
  shown.emplace_back("last_limit", limits.empty() ? Json() : json_number(limits.back()));
  Array filled;
  for (std::size_t i = 0; i < counts.size() && i < limits.size(); ++i)
    if (counts[i] != 0) filled.push_back(Array{json_number(limits[i]), json_number(counts[i])});
  shown.emplace_back("nonzero", std::move(filled));
  return shown;
}

/// One value of a summary.
Json summary_value_json(const wire::Field& message, std::string_view file, std::int64_t file_step, std::int64_t step) {
  Object shown{{"file_step", file_step}, {"step", step}};
  for_each_field(wire::FieldReader(message, file), [&](const wire::Field& field) {
    if (field.is(1, wire::WireType::length_delimited)) shown.emplace_back("tag", field.text());
    if (field.is(2, wire::WireType::fixed32)) shown.emplace_back("simple_value", json_number(field.as_float()));
    if (field.is(5, wire::WireType::length_delimited)) shown.emplace_back("histo", histogram_json(field, file));
  });
  return shown;
}

void add_events(Array& shown, const std::string& folder, const std::string& file) {
  const std::string bytes = read_file(folder + "/" + file);
  const std::int64_t file_step = std::atoll(file.c_str() + file.rfind('/') + 1);
  wire::RecordReader records(std::as_bytes(std::span(bytes)), file, wire::RecordCheck::full);
  while (const auto record = sound(records.next())) {
    std::int64_t step = 0;
    std::optional<wire::Field> summary;
    for_each_field(wire::FieldReader(record->payload, file, static_cast<std::int64_t>(record->start)), [&](const wire::Field& field) {
      if (field.is(2, wire::WireType::varint)) step = static_cast<std::int64_t>(field.bits);
      if (field.is(5, wire::WireType::length_delimited)) summary = field;
    });
    if (!summary) continue;
    for_each_field(wire::FieldReader(*summary, file), [&](const wire::Field& field) {
      if (field.is(1, wire::WireType::length_delimited)) shown.push_back(summary_value_json(field, file, file_step, step));
    });
  }
}

}  // namespace

Json tensorboard_json(const std::string& folder) {
  constexpr std::string_view prefix = "tensorboard/";
  Object modes;
  for (const std::string& file : files_below(folder)) {
    if (!file.starts_with(prefix) || !file.ends_with(".tfevents")) continue;
    const std::string mode = file.substr(prefix.size(), file.find('/', prefix.size()) - prefix.size());
    if (modes.empty() || modes.back().first != mode) modes.emplace_back(mode, Array());
    add_events(std::get<Array>(modes.back().second.value), folder, file);
  }
  return modes.empty() ? Json() : Json(std::move(modes));
}

}  // namespace conformance
