#include "loupe/rules/rule_status.hpp"

#include "loupe/wire/json_writer.hpp"

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL Text status_details(std::string_view text) {
  if (text.size() <= max_status_details) return text;
  std::size_t end = max_status_details;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

LOUPE_DECL Text status_details(const RuleRecord& record) {
  if (record.last)
    return status_details(Text::join("RuleEvaluationConditionMet: Evaluation of the rule ", record.name, " at step ",
                                     to_text(record.last->at.step.value).view(), " resulted in the condition being met")
                              .view());
  return record.datapoints > 0 ? Text() : Text("no matching tensor was ever saved");
}

LOUPE_DECL void append_rule_report(ByteBuffer& out, const RuleRecord& record, std::string_view parameters) {
  wire::JsonWriter json(out);
  json.begin_object().key("RuleTriggered").number(record.firings).key("Violations").number(record.violations);
  json.key("Details").begin_object();
  if (record.last) {
    json.key("step").number(record.last->at.step.value).key("violations");
    record.last->append_violations(json);
    json.key("violations_total").number(record.last->total);
  }
  if (!record.warnings.empty()) {
    json.key("warnings").begin_array();
    for (const Text& warning : record.warnings) json.string(warning);
    json.end_array();
  }
  json.end_object().key("Datapoints").number(record.datapoints).key("RuleParameters").string(parameters).end_object();
}

}  // namespace loupe::inline LOUPE_ABI::rules
