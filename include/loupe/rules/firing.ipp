#include "loupe/rules/firing.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "loupe/wire/json_writer.hpp"

namespace loupe::inline LOUPE_ABI::rules {

namespace detail {

inline std::string_view non_finite_name(double number) noexcept {
  return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

inline Text number_words(double number) {
  if (!std::isfinite(number)) return non_finite_name(number);
  ByteBuffer digits;
  wire::append_json_number(digits, number);
  return std::as_const(digits).text();
}

inline void write_number(wire::JsonWriter& json, double number) {
  if (std::isfinite(number)) json.number(number);
  else json.string(non_finite_name(number));
}

}  // namespace detail

LOUPE_DECL Text Firing::sentence() const {
  Text sentence = Text::join(rule.view(), " fired at step ", to_text(at.step.value).view());
  if (at.mode.mode != Mode::global)
    sentence = Text::join(sentence.view(), " (", mode_name(at.mode.mode), " ", to_text(at.mode.value).view(), ")");
  if (violations.empty()) return sentence;
  const Violation& first = violations.front();
  sentence = Text::join(sentence.view(), ": ", first.tensor.view());
  if (!first.worker.empty()) sentence = Text::join(sentence.view(), first.tensor.empty() ? "" : " of ", first.worker.view());
  if (first.element) sentence = Text::join(sentence.view(), ", element ", to_text(*first.element).view());
  sentence = Text::join({sentence.view(), first.tensor.empty() && first.worker.empty() ? "" : ": ", first.reason.view(), " (",
                         detail::number_words(first.value).view(), ", threshold ", detail::number_words(first.threshold).view(), ")"});
  if (total > 1) sentence = Text::join(sentence.view(), "; ", to_text(static_cast<long long>(total - 1)).view(), " more");
  return sentence;
}

LOUPE_DECL void Firing::append_json(ByteBuffer& out) const {
  wire::JsonWriter json(out);
  json.begin_object().key("rule").string(rule);
  json.key("step").number(at.step.value).key("mode").string(mode_name(at.mode.mode)).key("mode_step").number(at.mode.value);
  json.key("violations");
  append_violations(json);
  json.key("violations_total").number(total).end_object();
}

LOUPE_DECL void Firing::append_violations(wire::JsonWriter& json) const {
  json.begin_array();
  for (const Violation& violation : violations) {
    json.begin_object().key("tensor").string(violation.tensor).key("worker").string(violation.worker);
    json.key("step").number(at.step.value).key("mode").string(mode_name(at.mode.mode)).key("mode_step").number(at.mode.value);
    if (violation.element) json.key("element").number(*violation.element);
    json.key("value");
    detail::write_number(json, violation.value);
    json.key("threshold");
    detail::write_number(json, violation.threshold);
    json.key("reason").string(violation.reason).end_object();
  }
  json.end_array();
}

}  // namespace loupe::inline LOUPE_ABI::rules
