#include "loupe/select/name_filter.hpp"

#include "loupe/base/byte_buffer.hpp"
#include "loupe/select/code_points.hpp"
#include "loupe/select/python_regex.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

// In the following `$` is Python's: the end, or before a newline that ends the name. A dot is anything but a newline.

inline bool has(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}
inline std::string_view line_of(std::string_view text) noexcept { return text.substr(0, text.find('\n')); }
inline std::string_view without_last_newline(std::string_view text) noexcept {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

/// `^(?!gradient).*PART`
inline bool is_parameter(std::string_view name, std::string_view part) noexcept {
  return !name.starts_with("gradient") && has(line_of(name), part);
}
inline bool is_weight(std::string_view name) noexcept { return is_parameter(name, "weight"); }
inline bool is_bias(std::string_view name) noexcept { return is_parameter(name, "bias"); }

/// `(?!input).*output`
inline bool has_loss_output(std::string_view rest) noexcept {
  return !rest.starts_with("input") && has(line_of(rest), "output");
}

/// `[Ll]oss_(?!input).*output`
inline bool is_pytorch_loss(std::string_view name) noexcept {
  for (auto at = name.find("oss_"); at != std::string_view::npos; at = name.find("oss_", at + 1))
    if (at > 0 && (name[at - 1] == 'L' || name[at - 1] == 'l') && has_loss_output(name.substr(at + 4))) return true;
  return false;
}

/// `.*loss._(?!input).*output`
inline bool is_mxnet_loss(std::string_view name) noexcept {
  for (auto at = name.find("loss"); at != std::string_view::npos; at = name.find("loss", at + 1)) {
    std::string_view rest = name.substr(at + 4);
    if (rest.empty() || take_code_point(rest) == '\n' || !rest.starts_with('_')) continue;
    if (has_loss_output(rest.substr(1))) return true;
  }
  return false;
}

/// `^weights/.*/((?!bias).)*$`: the part after the last slash is the one that has the best chance.
inline bool is_tensorflow_weight(std::string_view name) noexcept {
  constexpr std::string_view start = "weights/";
  if (!name.starts_with(start)) return false;
  const std::string_view rest = without_last_newline(name.substr(start.size()));
  const auto slash = rest.rfind('/');
  return slash != std::string_view::npos && !has(rest, "\n") && !has(rest.substr(slash + 1), "bias");
}

/// `^hyperparameters/.*$`
inline bool is_hyperparameter(std::string_view name) noexcept {
  return name.starts_with("hyperparameters/") && !has(without_last_newline(name), "\n");
}

/// `^[a-zA-z]+-`: the rest after it; the class goes from A to z and so has `[ \ ] ^ _` and the back-quote too.
inline bool take_metric_prefix(std::string_view& name) noexcept {
  std::size_t letters = 0;
  while (letters < name.size() && name[letters] >= 'A' && name[letters] <= 'z') ++letters;
  if (letters == 0 || !name.substr(letters).starts_with('-')) return false;
  name.remove_prefix(letters + 1);
  return true;
}

/// `^[a-zA-z]+-[a-zA-z0-9]+$`
inline bool is_xgboost_metric(std::string_view name) noexcept {
  name = without_last_newline(name);
  if (!take_metric_prefix(name) || name.empty()) return false;
  for (const char letter : name)
    if (!(letter >= 'A' && letter <= 'z') && !(letter >= '0' && letter <= '9')) return false;
  return true;
}

/// `^[a-zA-z]+-.+(?<!(auc|map))$`
inline bool is_xgboost_loss(std::string_view name) noexcept {
  name = without_last_newline(name);
  return take_metric_prefix(name) && !name.empty() && !has(name, "\n") && !name.ends_with("auc") &&
         !name.ends_with("map");
}

/// `.*[^/bias]` to the very end
inline bool ends_beside_bias(std::string_view rest) noexcept {
  return !rest.empty() && !has("/bias", rest.substr(rest.size() - 1)) && !has(rest.substr(0, rest.size() - 1), "\n");
}

/// `^START.*[^/bias]$`: the class may match a newline itself.
inline bool is_shap(std::string_view name, std::string_view start) noexcept {
  if (!name.starts_with(start)) return false;
  name.remove_prefix(start.size());
  return ends_beside_bias(name) || (name.ends_with('\n') && ends_beside_bias(without_last_newline(name)));
}
inline bool is_average_shap(std::string_view name) noexcept { return is_shap(name, "average_shap/"); }
inline bool is_full_shap(std::string_view name) noexcept { return is_shap(name, "full_shap/"); }

}  // namespace detail

LOUPE_DECL NamePredicate known_pattern(std::string_view pattern) noexcept {
  struct Known {
    std::string_view pattern;
    NamePredicate predicate;
  };
  constexpr Known known[] = {
      {"^(?!gradient).*weight", detail::is_weight},
      {"^(?!gradient).*bias", detail::is_bias},
      {"[Ll]oss_(?!input).*output", detail::is_pytorch_loss},
      {".*loss._(?!input).*output", detail::is_mxnet_loss},
      {"^weights/.*/((?!bias).)*$", detail::is_tensorflow_weight},
      {"^hyperparameters/.*$", detail::is_hyperparameter},
      {"^[a-zA-z]+-[a-zA-z0-9]+$", detail::is_xgboost_metric},
      {"^[a-zA-z]+-.+(?<!(auc|map))$", detail::is_xgboost_loss},
      {"^average_shap/.*[^/bias]$", detail::is_average_shap},
      {"^full_shap/.*[^/bias]$", detail::is_full_shap},
  };
  for (const Known& candidate : known)
    if (candidate.pattern == pattern) return candidate.predicate;
  return nullptr;
}

/// Recognises a literal with optional anchors. A leading `.*` (before no anchor) and a trailing one change nothing in
/// an unanchored search.
LOUPE_DECL bool NameFilter::read_literal(std::string_view pattern, Rule& rule) {
  if (!wire::is_utf8(pattern)) return false;  // only whole characters can be looked for among bytes
  const bool starts = pattern.starts_with('^');
  if (starts) pattern.remove_prefix(1);
  else
    while (pattern.starts_with(".*")) pattern.remove_prefix(2);
  const auto is_escaped = [&](std::size_t at) {
    std::size_t backslashes = 0;
    while (backslashes < at && pattern[at - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 != 0;
  };
  const bool ends = pattern.ends_with('$') && !is_escaped(pattern.size() - 1);
  if (ends) pattern.remove_suffix(1);
  else
    while (pattern.ends_with(".*") && !is_escaped(pattern.size() - 2)) pattern.remove_suffix(2);

  ByteBuffer literal;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    char letter = pattern[at];
    if (letter == '\\') {
      if (++at == pattern.size()) return false;
      letter = pattern[at];
      const bool is_punctuation = letter >= ' ' && letter < 0x7F && !is_word_character(static_cast<char32_t>(letter));
      if (!is_punctuation) return false;
    } else if (std::string_view(".^$*+?{}[]|()").find(letter) != std::string_view::npos) {
      return false;
    }
    literal.append(letter);
  }
  rule.kind = starts && ends ? Kind::equal : starts ? Kind::prefix : ends ? Kind::suffix : Kind::contains;
  rule.literal = literal.text();
  return true;
}

LOUPE_DECL void NameFilter::add(std::string_view pattern) {
  Rule rule;
  if (const auto predicate = known_pattern(pattern)) {
    rule.kind = Kind::predicate;
    rule.predicate = predicate;
  } else if (!read_literal(pattern, rule)) {
    rule.kind = Kind::engine;
    auto compiled = (engine_ != nullptr ? engine_ : compile_python_regex)(pattern);
    if (!compiled) {
      errors_.push_back(std::move(compiled).error());
      return;
    }
    rule.pattern = *std::move(compiled);
  }
  rules_.push_back(std::move(rule));
}

LOUPE_DECL result<bool> NameFilter::search(std::string_view name) const {
  const auto is_found = [name](const Rule& rule) -> result<bool> {
    const std::string_view literal = rule.literal;
    switch (rule.kind) {
      case Kind::contains: return detail::has(name, literal);
      case Kind::prefix: return name.starts_with(literal);
      case Kind::suffix:
        return name.ends_with(literal) || (name.ends_with('\n') && name.substr(0, name.size() - 1).ends_with(literal));
      case Kind::equal: return name == literal || (name.ends_with('\n') && name.substr(0, name.size() - 1) == literal);
      case Kind::predicate: return rule.predicate(name);
      case Kind::engine: break;
    }
    return rule.pattern.search(name);
  };
  result<bool> outcome = false;
  for (const Rule& rule : rules_) {
    auto found = is_found(rule);
    if (found && *found) return true;
    if (!found && outcome) outcome = std::move(found);
  }
  return outcome;
}

}  // namespace loupe::inline LOUPE_ABI
