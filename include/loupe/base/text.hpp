#pragma once
/// @file
/// An owned text that costs no `<string>`: what errors, configurations and names hold in the light headers.

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// An immutable, owned, NUL-terminated text (UTF-8 by convention; any bytes are kept). Copies are deep.
class Text {
 public:
  constexpr Text() noexcept = default;

  /// Copies `text`.
  Text(std::string_view text) : size_(text.size()) {
    if (size_ == 0) return;
    data_ = new char[size_ + 1];
    std::memcpy(data_, text.data(), size_);
    data_[size_] = '\0';
  }
  /// Copies anything that reads as a text: literals, `std::string`.
  template <class String>
    requires std::convertible_to<const String&, std::string_view> && (!std::same_as<String, Text>)
  Text(const String& text) : Text(static_cast<std::string_view>(text)) {}

  /// Joins parts with one allocation. No template: every sentence would be another one to compile.
  static Text join(std::string_view first, std::string_view second, std::string_view third = {},
                   std::string_view fourth = {}, std::string_view fifth = {}, std::string_view sixth = {},
                   std::string_view seventh = {}, std::string_view eighth = {}) {
    return join({first, second, third, fourth, fifth, sixth, seventh, eighth});
  }
  /// Joins any number of parts with one allocation.
  static Text join(std::initializer_list<std::string_view> views) {
    std::size_t size = 0;
    for (auto view : views) size += view.size();
    Text out;
    if (size == 0) return out;
    out.data_ = new char[size + 1];
    out.size_ = size;
    char* end = out.data_;
    for (auto view : views) {
      if (!view.empty()) std::memcpy(end, view.data(), view.size());
      end += view.size();
    }
    *end = '\0';
    return out;
  }

  Text(const Text& other) : Text(other.view()) {}
  Text(Text&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Text& operator=(Text other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Text() { delete[] data_; }

  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }
  operator std::string_view() const noexcept { return view(); }
  [[nodiscard]] const char* c_str() const noexcept { return data_ ? data_ : ""; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  friend bool operator==(const Text& a, const Text& b) noexcept { return a.view() == b.view(); }
  friend auto operator<=>(const Text& a, const Text& b) noexcept { return a.view() <=> b.view(); }
  template <class Characters>
    requires(std::convertible_to<const Characters&, std::string_view> && !std::same_as<Characters, Text>)
  friend bool operator==(const Text& a, const Characters& b) noexcept {
    return a.view() == std::string_view(b);
  }
  template <class Characters>
    requires(std::convertible_to<const Characters&, std::string_view> && !std::same_as<Characters, Text>)
  friend auto operator<=>(const Text& a, const Characters& b) noexcept {
    return a.view() <=> std::string_view(b);
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A number as decimal text, without `<string>` or locale.
inline Text to_text(long long number) {
  char digits[24];
  char* begin = digits + sizeof digits;
  const bool negative = number < 0;
  unsigned long long rest = negative ? 0ULL - static_cast<unsigned long long>(number) : static_cast<unsigned long long>(number);
  do {
    *--begin = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (negative) *--begin = '-';
  return Text(std::string_view(begin, static_cast<std::size_t>(digits + sizeof digits - begin)));
}

}  // namespace loupe::inline LOUPE_ABI
