// loupe 0.1.0: loupe/loupe.hpp with everything it includes, in one file.
// SPDX-License-Identifier: Apache-2.0
// Written by single_include/amalgamate.py from include/loupe: change the headers there.
#pragma once

#if defined(LOUPE_SEPARATE_COMPILATION)
#error "the single header has its bodies inside: build with include/ for LOUPE_SEPARATE_COMPILATION"
#endif

#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>
// ---- loupe/loupe.hpp
#ifndef LOUPE_SINGLE_LOUPE_HPP
#define LOUPE_SINGLE_LOUPE_HPP
/// @file
/// All of loupe that needs the standard library only. Written by tests/house/check.py --write.

// ---- loupe/base/array.hpp
#ifndef LOUPE_SINGLE_BASE_ARRAY_HPP
#define LOUPE_SINGLE_BASE_ARRAY_HPP
/// @file
/// An owning tensor: what a trial gives when a value is to outlive it.

// ---- loupe/base/config.hpp
#ifndef LOUPE_SINGLE_BASE_CONFIG_HPP
#define LOUPE_SINGLE_BASE_CONFIG_HPP
/// @file
/// Version, feature switches and the ABI tag. Every macro that a user may set is listed here.
///
/// | macro | meaning | default |
/// | --- | --- | --- |
/// | `LOUPE_SEPARATE_COMPILATION` | bodies are compiled once, in the unit that includes `loupe/src.hpp` | unset: header-only |
/// | `LOUPE_NO_INTRINSICS` | portable code only, no run-time choice of instruction sets | unset |
/// | `LOUPE_DISABLE` | `HookRef` calls in `probe.hpp` compile to nothing | unset |

#define LOUPE_VERSION_MAJOR 0
#define LOUPE_VERSION_MINOR 1
#define LOUPE_VERSION_PATCH 0

#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202202L
#define LOUPE_HAS_STD_EXPECTED 1
#define LOUPE_ABI_EXPECTED e1
#else
#define LOUPE_HAS_STD_EXPECTED 0
#define LOUPE_ABI_EXPECTED e0
#endif

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define LOUPE_HAS_EXCEPTIONS 1
#define LOUPE_ABI_EXCEPTIONS x1
#else
#define LOUPE_HAS_EXCEPTIONS 0
#define LOUPE_ABI_EXCEPTIONS x0
#endif

#if !defined(LOUPE_NO_INTRINSICS) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define LOUPE_HAS_X86_DISPATCH 1
#define LOUPE_ABI_INTRINSICS i1
#else
#define LOUPE_HAS_X86_DISPATCH 0
#define LOUPE_ABI_INTRINSICS i0
#endif

#if defined(LOUPE_DISABLE)
#define LOUPE_ABI_PROBES p0
#else
#define LOUPE_ABI_PROBES p1
#endif

/// The name of loupe's inline namespace: version, which `expected`, exceptions on or off, instruction-set dispatch,
/// probes. Units that differ in any of them get different symbols instead of a silent violation of the one-definition rule.
#define LOUPE_ABI LOUPE_ABI_JOIN(LOUPE_VERSION_MAJOR, LOUPE_VERSION_MINOR, LOUPE_ABI_EXPECTED, LOUPE_ABI_EXCEPTIONS, LOUPE_ABI_INTRINSICS, LOUPE_ABI_PROBES)
#define LOUPE_ABI_JOIN(major, minor, e, x, i, p) LOUPE_ABI_PASTE(major, minor, e, x, i, p)
#define LOUPE_ABI_PASTE(major, minor, e, x, i, p) v##major##_##minor##_##e##_##x##_##i##_##p

#if defined(LOUPE_SEPARATE_COMPILATION)
#define LOUPE_DECL
#else
#define LOUPE_DECL inline
#endif

#if defined(__GNUC__) || defined(__clang__)
#define LOUPE_ALWAYS_INLINE [[gnu::always_inline]] inline
#define LOUPE_NEVER_INLINE [[gnu::noinline]]
#else
#define LOUPE_ALWAYS_INLINE inline
#define LOUPE_NEVER_INLINE
#endif
#endif  // LOUPE_SINGLE_BASE_CONFIG_HPP
// ---- loupe/base/element_type.hpp
#ifndef LOUPE_SINGLE_BASE_ELEMENT_TYPE_HPP
#define LOUPE_SINGLE_BASE_ELEMENT_TYPE_HPP
/// @file
/// The element types of tensors: every one that DLPack or the smdebug format can hold.

// ---- loupe/base/element_type_of.hpp
#ifndef LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP
#define LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP
/// @file
/// Element types and the C++ types that have one, without a standard header that costs: what `probe.hpp` can afford.

// ---- loupe/base/half.hpp
#ifndef LOUPE_SINGLE_BASE_HALF_HPP
#define LOUPE_SINGLE_BASE_HALF_HPP
/// @file
/// float16 and bfloat16 as storage types: loupe stores and converts them, it does not compute in them.

namespace loupe::inline LOUPE_ABI {

/// IEEE 754 binary16 bits.
struct Float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Float16, Float16) noexcept = default;
};

/// The upper half of a binary32.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) noexcept = default;
};

/// Exact.
constexpr float to_float(Float16 half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1Fu;
  std::uint32_t mantissa = half.bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  const int shift = std::countl_zero(mantissa) - 21;
  mantissa = (mantissa << shift) & 0x3FFu;
  return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(113 - shift) << 23) | (mantissa << 13));
}

/// Exact.
constexpr float to_float(BFloat16 half) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << 16);
}

/// Rounds to nearest, ties to even; too large becomes infinity, NaN stays NaN.
constexpr Float16 to_float16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return {static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu))};
  if (magnitude >= 0x477FF000u) return {static_cast<std::uint16_t>(sign | 0x7C00u)};
  if (magnitude < 0x33000001u) return {sign};
  std::uint32_t rounded;
  std::uint32_t dropped;
  std::uint32_t half;
  if (magnitude < 0x38800000u) {
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    rounded = mantissa >> shift;
    dropped = mantissa & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  } else {
    rounded = (magnitude - 0x38000000u) >> 13;
    dropped = magnitude & 0x1FFFu;
    half = 0x1000u;
  }
  if (dropped > half || (dropped == half && (rounded & 1u) != 0)) ++rounded;
  return {static_cast<std::uint16_t>(sign | rounded)};
}

/// As `to_float16(float)`, rounding once.
constexpr Float16 to_float16(double number) noexcept {
  const auto once = static_cast<float>(number);
  // Rounding twice errs only where the float lies exactly between two halves: nudge it to the side of the double.
  auto bits = std::bit_cast<std::uint32_t>(once);
  const double back = static_cast<double>(once);
  if (back != number && number == number && (bits & 0x7FFFFFFFu) < 0x7F800000u && (bits & 0x7FFFFFFFu) != 0 &&
      (bits & 1u) == 0) {
    const bool toward_larger = (number < 0 ? -number : number) > (back < 0 ? -back : back);
    bits = toward_larger ? bits + 1 : bits - 1;
  }
  return to_float16(std::bit_cast<float>(bits));
}

/// Rounds to nearest, ties to even; NaN stays NaN.
constexpr BFloat16 to_bfloat16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_HALF_HPP

namespace loupe::inline LOUPE_ABI {

/// Element types; `none` is the type of an empty view. A `string` element is a `std::string_view`.
enum class ElementType : std::uint8_t {
  none, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64,
  float16, bfloat16, float32, float64, complex64, complex128, string
};

/// Real and imaginary part, laid out as `std::complex<float>`.
struct Complex64 {
  float real = 0;
  float imaginary = 0;
  friend constexpr bool operator==(Complex64, Complex64) noexcept = default;
};

/// Real and imaginary part, laid out as `std::complex<double>`.
struct Complex128 {
  double real = 0;
  double imaginary = 0;
  friend constexpr bool operator==(Complex128, Complex128) noexcept = default;
};

/// `std::complex<float or double>` and types that look like it, without `<complex>`.
template <class Type>
concept ComplexLike = requires(const Type& number) {
  typename Type::value_type;
  { number.real() } -> std::convertible_to<typename Type::value_type>;
  { number.imag() } -> std::convertible_to<typename Type::value_type>;
} && (std::same_as<typename Type::value_type, float> || std::same_as<typename Type::value_type, double>) &&
    sizeof(Type) == 2 * sizeof(typename Type::value_type);

/// The element type of a C++ type, `none` where it has none. Specialise for a framework's own scalar types
/// (`template <> inline constexpr loupe::ElementType loupe::element_type_of<my::half> = loupe::ElementType::float16;`).
template <class Type>
inline constexpr ElementType element_type_of = [] {
  if constexpr (std::same_as<Type, bool>) return ElementType::boolean;
  else if constexpr (std::integral<Type> && !std::same_as<Type, wchar_t> && !std::same_as<Type, char16_t> && !std::same_as<Type, char32_t>) {
    constexpr bool is_signed = std::is_signed_v<Type>;
    if constexpr (sizeof(Type) == 1) return is_signed ? ElementType::int8 : ElementType::uint8;
    else if constexpr (sizeof(Type) == 2) return is_signed ? ElementType::int16 : ElementType::uint16;
    else if constexpr (sizeof(Type) == 4) return is_signed ? ElementType::int32 : ElementType::uint32;
    else if constexpr (sizeof(Type) == 8) return is_signed ? ElementType::int64 : ElementType::uint64;
    else return ElementType::none;
  } else if constexpr (std::same_as<Type, float>) return ElementType::float32;
  else if constexpr (std::same_as<Type, double>) return ElementType::float64;
  else if constexpr (std::same_as<Type, Float16>) return ElementType::float16;
  else if constexpr (std::same_as<Type, BFloat16>) return ElementType::bfloat16;
  else if constexpr (std::same_as<Type, Complex64>) return ElementType::complex64;
  else if constexpr (std::same_as<Type, Complex128>) return ElementType::complex128;
  else if constexpr (ComplexLike<Type>)
    return sizeof(Type) == 8 ? ElementType::complex64 : ElementType::complex128;
  else return ElementType::none;
}();

/// A C++ type that a tensor can hold.
template <class Type>
concept Element = element_type_of<std::remove_cv_t<Type>> != ElementType::none;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP

namespace loupe::inline LOUPE_ABI {

template <>
inline constexpr ElementType element_type_of<std::string_view> = ElementType::string;

/// Calls `visitor.template operator()<T>()` with the C++ type of `type` (`bool`, `std::int8_t` … `Complex128`,
/// `std::string_view`). For `none` it calls it with `void`.
template <class Visitor>
constexpr decltype(auto) visit_element_type(ElementType type, Visitor&& visitor) {
  switch (type) {
    case ElementType::boolean: return visitor.template operator()<bool>();
    case ElementType::int8: return visitor.template operator()<std::int8_t>();
    case ElementType::uint8: return visitor.template operator()<std::uint8_t>();
    case ElementType::int16: return visitor.template operator()<std::int16_t>();
    case ElementType::uint16: return visitor.template operator()<std::uint16_t>();
    case ElementType::int32: return visitor.template operator()<std::int32_t>();
    case ElementType::uint32: return visitor.template operator()<std::uint32_t>();
    case ElementType::int64: return visitor.template operator()<std::int64_t>();
    case ElementType::uint64: return visitor.template operator()<std::uint64_t>();
    case ElementType::float16: return visitor.template operator()<Float16>();
    case ElementType::bfloat16: return visitor.template operator()<BFloat16>();
    case ElementType::float32: return visitor.template operator()<float>();
    case ElementType::float64: return visitor.template operator()<double>();
    case ElementType::complex64: return visitor.template operator()<Complex64>();
    case ElementType::complex128: return visitor.template operator()<Complex128>();
    case ElementType::string: return visitor.template operator()<std::string_view>();
    case ElementType::none: break;
  }
  return visitor.template operator()<void>();
}

/// Bytes of one element in memory; 0 for `none`. A string element is a `std::string_view` in memory.
constexpr std::size_t element_size(ElementType type) noexcept {
  return visit_element_type(type, []<class Element>() -> std::size_t {
    if constexpr (std::is_void_v<Element>)
      return 0;
    else
      return sizeof(Element);
  });
}

/// numpy's name of the type (`bool`, `int8`, …, `complex128`, `str`; `bfloat16`); `none` for none.
constexpr std::string_view element_type_name(ElementType type) noexcept {
  constexpr std::string_view names[] = {"none",  "bool",   "int8",    "uint8",    "int16",   "uint16",  "int32",     "uint32",     "int64",
                                        "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "str"};
  return names[static_cast<std::size_t>(type)];
}

/// The type of a numpy name, or `none`.
constexpr ElementType element_type_from_name(std::string_view name) noexcept {
  for (int number = 1; number <= static_cast<int>(ElementType::string); ++number)
    if (element_type_name(static_cast<ElementType>(number)) == name) return static_cast<ElementType>(number);
  return ElementType::none;
}

constexpr bool is_complex(ElementType type) noexcept {
  return type == ElementType::complex64 || type == ElementType::complex128;
}
constexpr bool is_floating(ElementType type) noexcept {
  return type >= ElementType::float16 && type <= ElementType::float64;
}
constexpr bool is_signed_integer(ElementType type) noexcept {
  return type == ElementType::int8 || type == ElementType::int16 || type == ElementType::int32 || type == ElementType::int64;
}
constexpr bool is_unsigned_integer(ElementType type) noexcept {
  return type == ElementType::uint8 || type == ElementType::uint16 || type == ElementType::uint32 || type == ElementType::uint64;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ELEMENT_TYPE_HPP
// ---- loupe/base/result.hpp
#ifndef LOUPE_SINGLE_BASE_RESULT_HPP
#define LOUPE_SINGLE_BASE_RESULT_HPP
/// @file
/// What every internal function of loupe returns, and two helpers to write such functions.

// ---- loupe/base/error.hpp
#ifndef LOUPE_SINGLE_BASE_ERROR_HPP
#define LOUPE_SINGLE_BASE_ERROR_HPP
/// @file
/// One vocabulary of errors for the whole library: kinds, their fields, and the sentence they make.

// ---- loupe/base/mode.hpp
#ifndef LOUPE_SINGLE_BASE_MODE_HPP
#define LOUPE_SINGLE_BASE_MODE_HPP
/// @file
/// The modes of a run, with the numbers and names that smdebug's files use.

namespace loupe::inline LOUPE_ABI {

/// What the model is doing in a step. `global` is both the mode of a loop that never sets one and the counter over all modes.
enum class Mode : std::uint8_t { train = 1, eval = 2, predict = 3, global = 4 };

/// All modes in the order in which smdebug lists them.
inline constexpr Mode all_modes[] = {Mode::train, Mode::eval, Mode::predict, Mode::global};

/// The number of modes, and a mode's place in an array of that size.
inline constexpr std::size_t mode_count = 4;
constexpr std::size_t mode_index(Mode mode) noexcept { return static_cast<std::size_t>(mode) - 1; }

/// The upper-case name that index and collections files hold: `TRAIN EVAL PREDICT GLOBAL`.
constexpr std::string_view mode_name(Mode mode) noexcept {
  constexpr std::string_view names[] = {"TRAIN", "EVAL", "PREDICT", "GLOBAL"};
  const auto index = mode_index(mode);
  return index < mode_count ? names[index] : std::string_view("INVALID");
}

/// The mode of an exact upper-case name, or nothing.
constexpr std::optional<Mode> mode_from_name(std::string_view name) noexcept {
  for (Mode mode : all_modes)
    if (mode_name(mode) == name) return mode;
  return std::nullopt;
}

/// The mode of a number 1 to 4 as event files hold it, or nothing.
constexpr std::optional<Mode> mode_from_number(long long number) noexcept {
  if (number < 1 || number > static_cast<long long>(mode_count)) return std::nullopt;
  return static_cast<Mode>(number);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_MODE_HPP
// ---- loupe/base/text.hpp
#ifndef LOUPE_SINGLE_BASE_TEXT_HPP
#define LOUPE_SINGLE_BASE_TEXT_HPP
/// @file
/// An owned text that costs no `<string>`: what errors, configurations and names hold in the light headers.

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

  /// Joins parts with one allocation.
  template <std::convertible_to<std::string_view>... Parts>
    requires(sizeof...(Parts) > 1)
  static Text join(const Parts&... parts) {
    const std::string_view views[] = {static_cast<std::string_view>(parts)...};
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
  friend bool operator==(const Text& a, std::string_view b) noexcept { return a.view() == b; }
  friend bool operator==(const Text& a, const char* b) noexcept { return a.view() == b; }

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
#endif  // LOUPE_SINGLE_BASE_TEXT_HPP

namespace loupe::inline LOUPE_ABI {

/// What went wrong. The first group are smdebug's exceptions (semantics.md section 14), the second what storage,
/// codec and configuration add.
enum class ErrorKind : std::uint8_t {
  tensor_unavailable,           ///< no tensor of that name was ever saved
  tensor_unavailable_for_step,  ///< the tensor has no value at that step; `reason` says why
  shape_unavailable_for_step,
  step_unavailable,             ///< the step was not saved and never will be
  step_not_yet_available,       ///< the run goes on and may still write the step
  no_more_data,                 ///< the run has ended before that step; `last_step` is the largest there is
  no_more_profiler_data,
  invalid_worker,
  missing_collection_files,
  index_reader,                 ///< an index file is unreadable, or a file name is none of the format's
  invalid_collection_configuration,
  rule_evaluation_condition_met,
  insufficient_information_for_rule_invocation,
  invalid_argument,             ///< a value outside what is allowed (smdebug: SMDebugValueError)
  invalid_type,                 ///< a value of the wrong type (smdebug: SMDebugTypeError)
  invalid_state,                ///< the call is not possible now (smdebug: SMDebugRuntimeError)
  not_implemented,
  not_found,                    ///< no such file, object or variable
  already_exists,
  permission_denied,
  no_space,
  io,                           ///< the system refused a read or write; `os_error` is its errno
  corrupt,                      ///< bytes that are not what the format says; `offset` says where
  unsupported,                  ///< the backend or engine can't do this
  limit_exceeded,               ///< larger, longer or deeper than loupe allows
  timeout,
  cancelled,
};

/// Why a value is not there.
enum class Absence : std::uint8_t {
  unspecified,
  not_yet,       ///< the run goes on; it may come
  never_saved,   ///< this tensor was not saved at this step
  only_reduced,  ///< reductions were saved instead of the value
  only_shape,    ///< the shape was saved instead of the value
  lost,          ///< the index names an event file that is not there
  corrupt,       ///< the bytes are there and damaged
};

/// An error with its facts. Which fields are meaningful follows from the kind; the others keep their defaults.
struct Error {
  ErrorKind kind = ErrorKind::invalid_state;
  Text object;                  ///< what it is about: a tensor, worker, collection, file, key, parameter
  Text detail;                  ///< what was wrong and, for arguments, what is allowed
  std::int64_t step = -1;       ///< step asked for, in `mode`
  Mode mode = Mode::global;
  std::int64_t last_step = -1;  ///< no_more_data: the largest step of the mode
  std::int64_t offset = -1;     ///< byte offset in the file `object`
  int os_error = 0;             ///< errno of the system call, if one failed
  Absence reason = Absence::unspecified;
  bool has_reductions = false;  ///< tensor_unavailable_for_step: reductions of the tensor can be asked for

  /// The whole sentence.
  [[nodiscard]] LOUPE_DECL Text message() const;
};

/// The enumerator's name, e.g. `tensor_unavailable_for_step`.
LOUPE_DECL std::string_view error_kind_name(ErrorKind kind) noexcept;

/// The enumerator's name as words, e.g. `only reductions were saved`.
LOUPE_DECL std::string_view absence_words(Absence reason) noexcept;

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/error.ipp
#ifndef LOUPE_SINGLE_BASE_ERROR_IPP
#define LOUPE_SINGLE_BASE_ERROR_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::string_view error_kind_name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::tensor_unavailable: return "tensor_unavailable";
    case ErrorKind::tensor_unavailable_for_step: return "tensor_unavailable_for_step";
    case ErrorKind::shape_unavailable_for_step: return "shape_unavailable_for_step";
    case ErrorKind::step_unavailable: return "step_unavailable";
    case ErrorKind::step_not_yet_available: return "step_not_yet_available";
    case ErrorKind::no_more_data: return "no_more_data";
    case ErrorKind::no_more_profiler_data: return "no_more_profiler_data";
    case ErrorKind::invalid_worker: return "invalid_worker";
    case ErrorKind::missing_collection_files: return "missing_collection_files";
    case ErrorKind::index_reader: return "index_reader";
    case ErrorKind::invalid_collection_configuration: return "invalid_collection_configuration";
    case ErrorKind::rule_evaluation_condition_met: return "rule_evaluation_condition_met";
    case ErrorKind::insufficient_information_for_rule_invocation:
      return "insufficient_information_for_rule_invocation";
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::invalid_type: return "invalid_type";
    case ErrorKind::invalid_state: return "invalid_state";
    case ErrorKind::not_implemented: return "not_implemented";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::already_exists: return "already_exists";
    case ErrorKind::permission_denied: return "permission_denied";
    case ErrorKind::no_space: return "no_space";
    case ErrorKind::io: return "io";
    case ErrorKind::corrupt: return "corrupt";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::limit_exceeded: return "limit_exceeded";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::cancelled: return "cancelled";
  }
  return "unknown";
}

LOUPE_DECL std::string_view absence_words(Absence reason) noexcept {
  switch (reason) {
    case Absence::unspecified: return "";
    case Absence::not_yet: return "not written yet";
    case Absence::never_saved: return "never saved at this step";
    case Absence::only_reduced: return "only reductions were saved";
    case Absence::only_shape: return "only the shape was saved";
    case Absence::lost: return "its event file is missing";
    case Absence::corrupt: return "its bytes are damaged";
  }
  return "";
}

LOUPE_DECL Text Error::message() const {
  const Text at = Text::join(" step ", to_text(step).view(), " of mode ", mode_name(mode));
  const auto with_detail = [&](const Text& sentence) {
    return detail.empty() ? sentence : Text::join(sentence.view(), ": ", detail.view());
  };
  switch (kind) {
    case ErrorKind::tensor_unavailable:
      return with_detail(Text::join("tensor ", object.view(), " was not saved"));
    case ErrorKind::tensor_unavailable_for_step:
    case ErrorKind::shape_unavailable_for_step: {
      const std::string_view what = kind == ErrorKind::shape_unavailable_for_step ? "shape" : "value";
      Text sentence = Text::join(what, " of tensor ", object.view(), " is not available at", at.view());
      if (reason != Absence::unspecified) sentence = Text::join(sentence.view(), " (", absence_words(reason), ")");
      if (has_reductions) sentence = Text::join(sentence.view(), "; its reductions can be asked for");
      return with_detail(sentence);
    }
    case ErrorKind::step_unavailable:
      return with_detail(Text::join(at.view().substr(1), " is not available because it was not saved"));
    case ErrorKind::step_not_yet_available:
      return with_detail(Text::join(at.view().substr(1), " is not available yet"));
    case ErrorKind::no_more_data:
      return with_detail(Text::join("looked for", at.view(), ", but the run has ended; the largest step is ",
                                    to_text(last_step).view()));
    case ErrorKind::no_more_profiler_data:
      return with_detail("looked for profiler data, but the run has ended");
    case ErrorKind::invalid_worker: return with_detail(Text::join("invalid worker ", object.view()));
    case ErrorKind::missing_collection_files:
      return with_detail("the run has ended, and not all of its collections files are there");
    case ErrorKind::invalid_collection_configuration:
      return with_detail(Text::join("collection ", object.view(),
                                    " is not configured: give it tensor names or an include_regex"));
    case ErrorKind::rule_evaluation_condition_met:
      return with_detail(Text::join("rule ", object.view(), " met its condition at", at.view()));
    case ErrorKind::insufficient_information_for_rule_invocation:
      return with_detail(Text::join("not enough information to invoke rule ", object.view()));
    default: break;
  }
  Text sentence = object.empty() ? detail : with_detail(object);
  if (sentence.empty()) sentence = error_kind_name(kind);
  if (offset >= 0) sentence = Text::join(sentence.view(), " (at byte ", to_text(offset).view(), ")");
  if (os_error != 0) sentence = Text::join(sentence.view(), " (errno ", to_text(os_error).view(), ")");
  return sentence;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ERROR_IPP
#endif  // LOUPE_SINGLE_BASE_ERROR_HPP
// ---- loupe/base/expected.hpp
#ifndef LOUPE_SINGLE_BASE_EXPECTED_HPP
#define LOUPE_SINGLE_BASE_EXPECTED_HPP
/// @file
/// `loupe::expected`: `std::expected` where the library has it, else a subset with the same interface (without the
/// monadic functions, which loupe never uses).

#if LOUPE_HAS_STD_EXPECTED
#include <expected>
namespace loupe::inline LOUPE_ABI {
using std::expected;
using std::unexpected;
}  // namespace loupe::inline LOUPE_ABI
#else
#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace loupe::inline LOUPE_ABI {

/// The error half of an `expected`.
template <class Failure>
class unexpected {
 public:
  constexpr explicit unexpected(Failure failure) : failure_(std::move(failure)) {}
  constexpr const Failure& error() const& noexcept { return failure_; }
  constexpr Failure& error() & noexcept { return failure_; }
  constexpr Failure&& error() && noexcept { return std::move(failure_); }

 private:
  Failure failure_;
};
template <class Failure>
unexpected(Failure) -> unexpected<Failure>;

/// A value or an error, as `std::expected`. Reading the half that is not there is undefined, as there.
template <class Value, class Failure>
class [[nodiscard]] expected {
 public:
  using value_type = Value;
  using error_type = Failure;
  using unexpected_type = unexpected<Failure>;

  constexpr expected()
    requires std::default_initializable<Value>
      : value_(), has_value_(true) {}
  template <class Source = Value>
    requires(!std::same_as<std::remove_cvref_t<Source>, expected> &&
             !std::same_as<std::remove_cvref_t<Source>, unexpected<Failure>> && std::constructible_from<Value, Source>)
  constexpr explicit(!std::convertible_to<Source, Value>) expected(Source&& value)
      : value_(std::forward<Source>(value)), has_value_(true) {}
  template <class Other>
    requires std::constructible_from<Failure, Other>
  constexpr expected(unexpected<Other> failure) : failure_(std::move(failure).error()), has_value_(false) {}
  constexpr expected(const expected& other) : empty_(), has_value_(other.has_value_) { build_from(other); }
  constexpr expected(expected&& other) noexcept(std::is_nothrow_move_constructible_v<Value>)
      : empty_(), has_value_(other.has_value_) {
    build_from(std::move(other));
  }
  constexpr expected& operator=(const expected& other) {
    if (this != &other) {
      expected copy(other);
      *this = std::move(copy);
    }
    return *this;
  }
  constexpr expected& operator=(expected&& other) noexcept(std::is_nothrow_move_constructible_v<Value>) {
    if (this == &other) return *this;
    destroy();
    has_value_ = other.has_value_;
    build_from(std::move(other));
    return *this;
  }
  constexpr ~expected() { destroy(); }

  constexpr bool has_value() const noexcept { return has_value_; }
  constexpr explicit operator bool() const noexcept { return has_value_; }
  constexpr Value& operator*() & noexcept { return value_; }
  constexpr const Value& operator*() const& noexcept { return value_; }
  constexpr Value&& operator*() && noexcept { return std::move(value_); }
  constexpr Value* operator->() noexcept { return &value_; }
  constexpr const Value* operator->() const noexcept { return &value_; }
  constexpr Value& value() & noexcept { return value_; }
  constexpr const Value& value() const& noexcept { return value_; }
  constexpr Value&& value() && noexcept { return std::move(value_); }
  constexpr Failure& error() & noexcept { return failure_; }
  constexpr const Failure& error() const& noexcept { return failure_; }
  constexpr Failure&& error() && noexcept { return std::move(failure_); }
  template <class Fallback>
  constexpr Value value_or(Fallback&& fallback) const& {
    return has_value_ ? value_ : static_cast<Value>(std::forward<Fallback>(fallback));
  }
  template <class Fallback>
  constexpr Value value_or(Fallback&& fallback) && {
    return has_value_ ? std::move(value_) : static_cast<Value>(std::forward<Fallback>(fallback));
  }

 private:
  template <class Source>
  constexpr void build_from(Source&& other) {
    if (has_value_)
      ::new (static_cast<void*>(&value_)) Value(std::forward<Source>(other).value_);
    else
      ::new (static_cast<void*>(&failure_)) Failure(std::forward<Source>(other).failure_);
  }
  constexpr void destroy() noexcept {
    if (has_value_)
      value_.~Value();
    else
      failure_.~Failure();
  }
  struct Empty {};
  union {
    Empty empty_;
    Value value_;
    Failure failure_;
  };
  bool has_value_;
};

/// Nothing or an error.
template <class Failure>
class [[nodiscard]] expected<void, Failure> {
 public:
  using value_type = void;
  using error_type = Failure;
  using unexpected_type = unexpected<Failure>;

  constexpr expected() noexcept = default;
  template <class Other>
    requires std::constructible_from<Failure, Other>
  constexpr expected(unexpected<Other> failure) : state_(std::move(failure)) {}
  constexpr bool has_value() const noexcept { return state_.has_value(); }
  constexpr explicit operator bool() const noexcept { return state_.has_value(); }
  constexpr void operator*() const noexcept {}
  constexpr void value() const noexcept {}
  constexpr Failure& error() & noexcept { return state_.error(); }
  constexpr const Failure& error() const& noexcept { return state_.error(); }
  constexpr Failure&& error() && noexcept { return std::move(state_).error(); }

 private:
  struct Nothing {};
  expected<Nothing, Failure> state_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif
#endif  // LOUPE_SINGLE_BASE_EXPECTED_HPP

namespace loupe::inline LOUPE_ABI {

/// A value or an `Error`.
template <class Value>
using result = expected<Value, Error>;

/// An error to return from a function that gives a `result`.
[[nodiscard]] inline unexpected<Error> fail(Error error) { return unexpected<Error>(std::move(error)); }

/// The usual error: a kind, the object it is about, what was wrong.
[[nodiscard]] inline unexpected<Error> fail(ErrorKind kind, Text object, Text detail) {
  return unexpected<Error>(Error{.kind = kind, .object = std::move(object), .detail = std::move(detail)});
}

/// Damaged bytes: the file or object, the byte offset in it, the reason.
[[nodiscard]] inline unexpected<Error> fail_at(ErrorKind kind, Text object, std::int64_t offset, Text detail) {
  return unexpected<Error>(
      Error{.kind = kind, .object = std::move(object), .detail = std::move(detail), .offset = offset});
}

}  // namespace loupe::inline LOUPE_ABI

#define LOUPE_PASTE_IMPL(a, b) a##b
#define LOUPE_PASTE(a, b) LOUPE_PASTE_IMPL(a, b)

/// Evaluates a `result` and returns its error from the enclosing function, if it has one.
#define LOUPE_TRY(...)                                                                       \
  do {                                                                                       \
    if (auto loupe_try_result = (__VA_ARGS__); !loupe_try_result)                            \
      return ::loupe::unexpected<::loupe::Error>(std::move(loupe_try_result).error());       \
  } while (false)

/// `LOUPE_ASSIGN(auto x, expression)`: declares or assigns the value of a `result`, or returns its error.
#define LOUPE_ASSIGN(target, ...)                                                            \
  auto LOUPE_PASTE(loupe_assigned_, __LINE__) = (__VA_ARGS__);                               \
  if (!LOUPE_PASTE(loupe_assigned_, __LINE__))                                               \
    return ::loupe::unexpected<::loupe::Error>(std::move(LOUPE_PASTE(loupe_assigned_, __LINE__)).error()); \
  target = *std::move(LOUPE_PASTE(loupe_assigned_, __LINE__))
#endif  // LOUPE_SINGLE_BASE_RESULT_HPP
// ---- loupe/base/tensor_view.hpp
#ifndef LOUPE_SINGLE_BASE_TENSOR_VIEW_HPP
#define LOUPE_SINGLE_BASE_TENSOR_VIEW_HPP
/// @file
/// The one form in which tensors travel through loupe: a view that owns nothing.

// ---- loupe/base/shape.hpp
#ifndef LOUPE_SINGLE_BASE_SHAPE_HPP
#define LOUPE_SINGLE_BASE_SHAPE_HPP
/// @file
/// Sizes along the axes of a tensor, inline and checked.

namespace loupe::inline LOUPE_ABI {

/// The largest rank of a tensor: numpy's limit when smdebug was written.
inline constexpr std::size_t max_rank = 32;

/// A small vector of at most `max_rank` 64-bit numbers; only the used ones are copied.
class Extents {
 public:
  constexpr Extents() noexcept {}  // NOLINT: elements beyond size() are never read
  /// Takes the first `max_rank` numbers; callers with unchecked input ask `fits` first.
  constexpr Extents(std::span<const std::int64_t> numbers) noexcept { assign(numbers.data(), numbers.size()); }
  constexpr Extents(std::initializer_list<std::int64_t> numbers) noexcept { assign(numbers.begin(), numbers.size()); }
  constexpr Extents(const Extents& other) noexcept { assign(other.numbers_, other.size_); }
  constexpr Extents& operator=(const Extents& other) noexcept {
    if (this != &other) assign(other.numbers_, other.size_);
    return *this;
  }

  static constexpr bool fits(std::size_t rank) noexcept { return rank <= max_rank; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr std::int64_t& operator[](std::size_t axis) noexcept { return numbers_[axis]; }
  constexpr std::int64_t operator[](std::size_t axis) const noexcept { return numbers_[axis]; }
  [[nodiscard]] constexpr const std::int64_t* data() const noexcept { return numbers_; }
  [[nodiscard]] constexpr const std::int64_t* begin() const noexcept { return numbers_; }
  [[nodiscard]] constexpr const std::int64_t* end() const noexcept { return numbers_ + size_; }
  /// Appends a number; false, and no change, when `max_rank` are there.
  constexpr bool push_back(std::int64_t number) noexcept {
    if (size_ == max_rank) return false;
    numbers_[size_++] = number;
    return true;
  }
  friend constexpr bool operator==(const Extents& a, const Extents& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (std::size_t axis = 0; axis < a.size_; ++axis)
      if (a.numbers_[axis] != b.numbers_[axis]) return false;
    return true;
  }

 private:
  constexpr void assign(const std::int64_t* numbers, std::size_t count) noexcept {
    size_ = static_cast<std::uint8_t>(count < max_rank ? count : max_rank);
    for (std::size_t axis = 0; axis < size_; ++axis) numbers_[axis] = numbers[axis];
  }
  std::int64_t numbers_[max_rank];
  std::uint8_t size_ = 0;
};

/// The sizes of a tensor's axes, outermost first; empty for rank 0.
using Shape = Extents;
/// Distances between neighbours along each axis, in elements; may be zero or negative.
using Strides = Extents;

/// The product of the sizes (1 for rank 0); nothing when a size is negative or the product overflows.
constexpr std::optional<std::int64_t> element_count(std::span<const std::int64_t> sizes) noexcept {
  std::int64_t product = 1;
  bool is_empty = false;
  bool overflows = false;
  for (const std::int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    if (size == 0) is_empty = true;
    else if (product > INT64_MAX / size) overflows = true;
    else product *= size;
  }
  if (is_empty) return 0;
  if (overflows) return std::nullopt;
  return product;
}
constexpr std::optional<std::int64_t> element_count(const Shape& shape) noexcept {
  return element_count(std::span<const std::int64_t>(shape.data(), shape.size()));
}

/// Strides of the row-major layout without gaps.
constexpr Strides row_major_strides(const Shape& shape) noexcept {
  Strides strides = shape;
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis] > 0 ? shape[axis] : 1;
  }
  return strides;
}

/// Whether row-major order visits memory without gaps; axes of size 1 may have any stride, an empty tensor always is.
constexpr bool is_row_major(const Shape& shape, const Strides& strides) noexcept {
  std::int64_t stride = 1;
  bool contiguous = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] != 1 && strides[axis] != stride) contiguous = false;
    stride *= shape[axis];
  }
  return contiguous;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_SHAPE_HPP

namespace loupe::inline LOUPE_ABI {

/// Kinds of memory, with DLPack's numbers.
enum class DeviceKind : std::uint8_t { cpu = 1, cuda = 2, cuda_host = 3, opencl = 4, vulkan = 7, metal = 8, rocm = 10, rocm_host = 11, cuda_managed = 13, one_api = 14 };

/// Where a tensor's memory is.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int32_t index = 0;
  /// Whether the CPU may read the memory directly.
  [[nodiscard]] constexpr bool host_readable() const noexcept {
    return kind == DeviceKind::cpu || kind == DeviceKind::cuda_host || kind == DeviceKind::rocm_host || kind == DeviceKind::cuda_managed;
  }
  friend constexpr bool operator==(Device, Device) noexcept = default;
};

/// A non-owning view of a strided tensor. `data` addresses the element with all indices 0 and may be unaligned for its
/// type: elements are read by copying their bytes. Strides are in elements, may be zero or negative. A view with
/// `type == ElementType::none` is *empty*: an undefined tensor or missing gradient, which no call treats as an error.
struct TensorView {
  const void* data = nullptr;
  ElementType type = ElementType::none;
  Device device;
  Shape shape;
  Strides strides;

  TensorView() noexcept = default;
  /// A row-major tensor without gaps.
  TensorView(const void* first, ElementType element, const Shape& sizes) noexcept
      : data(first), type(element), shape(sizes), strides(row_major_strides(sizes)) {}
  TensorView(const void* first, ElementType element, const Shape& sizes, const Strides& distances, Device where = {}) noexcept
      : data(first), type(element), device(where), shape(sizes), strides(distances) {}
  /// A rank-1 tensor over contiguous elements.
  template <Element Type>
  explicit TensorView(std::span<Type> elements) noexcept
      : TensorView(elements.data(), element_type_of<std::remove_cv_t<Type>>, {static_cast<std::int64_t>(elements.size())}) {}

  /// Whether there is a tensor at all (a tensor of zero elements is one).
  [[nodiscard]] bool has_tensor() const noexcept { return type != ElementType::none; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape.size(); }
  /// Number of elements. The shape must be valid (`element_count(shape)` has a value).
  [[nodiscard]] std::int64_t size() const noexcept {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
  }
  /// `size()` times the element's size.
  [[nodiscard]] std::size_t byte_size() const noexcept { return static_cast<std::size_t>(size()) * element_size(type); }
  [[nodiscard]] bool contiguous() const noexcept { return is_row_major(shape, strides); }
};

/// Reads one element from memory of any alignment.
template <class Type>
LOUPE_ALWAYS_INLINE Type load_element(const void* address) noexcept {
  Type element;
  std::memcpy(&element, address, sizeof element);
  return element;
}

/// Calls `visit(const std::byte* first, std::int64_t count)` for each maximal run of elements that are neighbours in
/// memory, in row-major order of the tensor. Non-contiguous tensors need no temporary copy.
/// The view must be readable by the host and have a valid shape.
template <class Visitor>
void for_each_run(const TensorView& view, Visitor&& visit) {
  const auto* base = static_cast<const std::byte*>(view.data);
  const std::size_t width = element_size(view.type);
  std::size_t outer = view.rank();
  std::int64_t run = 1;
  while (outer > 0 && (view.shape[outer - 1] == 1 || view.strides[outer - 1] == run)) {
    run *= view.shape[outer - 1];
    --outer;
  }
  for (const std::int64_t extent : view.shape)
    if (extent == 0) return;
  std::int64_t index[max_rank] = {};
  std::int64_t position = 0;
  while (true) {
    visit(base + position * static_cast<std::int64_t>(width), run);
    std::size_t axis = outer;
    while (axis > 0) {
      --axis;
      position += view.strides[axis];
      if (++index[axis] < view.shape[axis]) break;
      position -= view.strides[axis] * view.shape[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (outer == 0) return;
  }
}

/// Copies the elements to `out` (of `byte_size()` bytes) in row-major order.
inline void copy_row_major(const TensorView& view, std::byte* out) noexcept {
  const std::size_t width = element_size(view.type);
  if (view.contiguous()) {
    if (const std::size_t bytes = view.byte_size(); bytes != 0) std::memcpy(out, view.data, bytes);
    return;
  }
  for_each_run(view, [&](const std::byte* first, std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * width;
    std::memcpy(out, first, bytes);
    out += bytes;
  });
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_TENSOR_VIEW_HPP

namespace loupe::inline LOUPE_ABI {

/// A dense row-major tensor that owns its elements, aligned to 64 bytes. Copies are deep.
class Array {
 public:
  /// No tensor.
  Array() noexcept = default;

  /// An array of unspecified numbers. Fails for a shape whose byte size doesn't fit, and for `string` or `none`.
  static result<Array> make(ElementType type, const Shape& shape) {
    const auto count = element_count(shape);
    const std::size_t width = element_size(type);
    if (!count || type == ElementType::none || type == ElementType::string)
      return fail(ErrorKind::invalid_argument, "array", "an array needs a numeric element type and a shape of countable size");
    if (static_cast<std::uint64_t>(*count) > max_bytes / width)
      return fail(ErrorKind::limit_exceeded, "array", "the elements would take more than 2^47 bytes");
    Array array;
    array.type_ = type;
    array.shape_ = shape;
    array.byte_size_ = static_cast<std::size_t>(*count) * width;
    array.allocate();
    return array;
  }

  /// A copy of a tensor's elements in row-major order. The view must be readable by the host.
  static result<Array> copy_of(const TensorView& view) {
    if (view.type == ElementType::string) {
      std::vector<std::string> texts;
      texts.reserve(static_cast<std::size_t>(view.size()));
      for_each_run(view, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
          texts.emplace_back(load_element<std::string_view>(first + static_cast<std::size_t>(i) * sizeof(std::string_view)));
      });
      return strings(std::move(texts), view.shape);
    }
    LOUPE_ASSIGN(Array array, make(view.type, view.shape));
    copy_row_major(view, array.data_);
    return array;
  }

  /// An array of texts; `shape` must count as many elements as there are texts.
  static result<Array> strings(std::vector<std::string> texts, const Shape& shape) {
    const auto count = element_count(shape);
    if (!count || static_cast<std::uint64_t>(*count) != texts.size())
      return fail(ErrorKind::invalid_argument, "array", "the shape must count as many elements as there are texts");
    Array array;
    array.type_ = ElementType::string;
    array.shape_ = shape;
    array.texts_ = std::move(texts);
    array.index_texts();
    return array;
  }

  Array(const Array& other)
      : byte_size_(other.byte_size_), type_(other.type_), shape_(other.shape_), texts_(other.texts_) {
    if (type_ == ElementType::string) {
      index_texts();
    } else if (other.data_ != nullptr) {
      allocate();
      std::memcpy(data_, other.data_, byte_size_);
    }
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) ::operator delete(data_, alignment);
  }
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(byte_size_, other.byte_size_);
    std::swap(type_, other.type_);
    std::swap(shape_, other.shape_);
    texts_.swap(other.texts_);
    text_views_.swap(other.text_views_);
  }

  [[nodiscard]] ElementType type() const noexcept { return type_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape_.size(); }
  /// Number of elements; 0 for no tensor.
  [[nodiscard]] std::size_t size() const noexcept {
    if (type_ == ElementType::none) return 0;
    return type_ == ElementType::string ? texts_.size() : byte_size_ / element_size(type_);
  }
  /// The elements' bytes; empty for strings.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, byte_size_}; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, byte_size_}; }
  /// A view that is valid while the array lives unchanged.
  [[nodiscard]] TensorView view() const noexcept {
    if (type_ == ElementType::none) return {};
    if (type_ == ElementType::string) return {text_views_.data(), type_, shape_};
    return {data_, type_, shape_};
  }
  /// The elements as their own type; empty when `Type` is another one.
  template <Element Type>
  [[nodiscard]] std::span<const Type> elements() const noexcept {
    if (element_type_of<Type> != type_) return {};
    if constexpr (std::same_as<Type, std::string_view>)
      return text_views_;
    else
      return {reinterpret_cast<const Type*>(data_), size()};
  }
  template <Element Type>
    requires(!std::same_as<Type, std::string_view>)
  [[nodiscard]] std::span<Type> elements() noexcept {
    if (element_type_of<Type> != type_) return {};
    return {reinterpret_cast<Type*>(data_), size()};
  }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 47;

  void allocate() {
    if (byte_size_ != 0) data_ = static_cast<std::byte*>(::operator new(byte_size_, alignment));
  }
  void index_texts() { text_views_.assign(texts_.begin(), texts_.end()); }

  std::byte* data_ = nullptr;
  std::size_t byte_size_ = 0;
  ElementType type_ = ElementType::none;
  Shape shape_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> text_views_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ARRAY_HPP
// ---- loupe/base/byte_buffer.hpp
#ifndef LOUPE_SINGLE_BASE_BYTE_BUFFER_HPP
#define LOUPE_SINGLE_BASE_BYTE_BUFFER_HPP
/// @file
/// Growable bytes without zero-filling: what records are encoded into and files are read into.

namespace loupe::inline LOUPE_ABI {

/// A byte vector whose growth leaves new bytes uninitialised and whose `clear` keeps the memory. Move-only.
class ByteBuffer {
 public:
  ByteBuffer() noexcept = default;
  ByteBuffer(ByteBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), capacity_(std::exchange(other.capacity_, 0)) {}
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer() { ::operator delete(data_); }

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data_), size_}; }

  /// Forgets the content, keeps the memory.
  void clear() noexcept { size_ = 0; }
  /// Shrinks to `size` bytes, which must not exceed `size()`.
  void truncate(std::size_t size) noexcept { size_ = size; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// Appends `count` uninitialised bytes and returns where they begin; valid until the next growth.
  std::byte* extend(std::size_t count) {
    if (count > capacity_ - size_) reallocate(grown(count));
    std::byte* begin = data_ + size_;
    size_ += count;
    return begin;
  }
  void append(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  void append(std::string_view text) {
    if (!text.empty()) std::memcpy(extend(text.size()), text.data(), text.size());
  }
  void append(char byte) { *extend(1) = static_cast<std::byte>(byte); }

 private:
  [[nodiscard]] std::size_t grown(std::size_t count) const noexcept {
    const std::size_t wanted = size_ + count;
    const std::size_t doubled = capacity_ * 2;
    return wanted > doubled ? (wanted < 64 ? 64 : wanted) : doubled;
  }
  LOUPE_NEVER_INLINE void reallocate(std::size_t capacity) {
    auto* moved = static_cast<std::byte*>(::operator new(capacity));
    if (size_ != 0) std::memcpy(moved, data_, size_);
    ::operator delete(data_);
    data_ = moved;
    capacity_ = capacity;
  }
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_BYTE_BUFFER_HPP
// ---- loupe/base/compatibility.hpp
#ifndef LOUPE_SINGLE_BASE_COMPATIBILITY_HPP
#define LOUPE_SINGLE_BASE_COMPATIBILITY_HPP
/// @file
/// The names of the compatibility policies. Each layer keeps its own list of differences, keyed by these types.

namespace loupe::inline LOUPE_ABI::compat {

/// loupe's own behaviour: smdebug's files and calls, without its defects.
struct None {};

/// smdebug 1.0.34 as it is, defects included: for conformance tests, and for tools that rely on them.
struct Smdebug {};

/// A compatibility policy: `None` or `Smdebug`.
template <class Policy>
concept Compatibility = std::is_same_v<Policy, None> || std::is_same_v<Policy, Smdebug>;

}  // namespace loupe::inline LOUPE_ABI::compat
#endif  // LOUPE_SINGLE_BASE_COMPATIBILITY_HPP
// ---- loupe/base/error_policy.hpp
#ifndef LOUPE_SINGLE_BASE_ERROR_POLICY_HPP
#define LOUPE_SINGLE_BASE_ERROR_POLICY_HPP
/// @file
/// How a public call gives its outcome: by exception, by `expected`, or by going on and counting.

// ---- loupe/base/exceptions.hpp
#ifndef LOUPE_SINGLE_BASE_EXCEPTIONS_HPP
#define LOUPE_SINGLE_BASE_EXCEPTIONS_HPP
/// @file
/// The exception types of the `Throw` policy: one per kind of error that callers tell apart, all carrying the `Error`.

#if LOUPE_HAS_EXCEPTIONS
#include <exception>
#include <utility>

namespace loupe::inline LOUPE_ABI {

/// Base of all exceptions that loupe throws.
class Exception : public std::exception {
 public:
  explicit Exception(Error error) : error_(std::move(error)), message_(error_.message()) {}
  const char* what() const noexcept override { return message_.c_str(); }
  /// The facts.
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  Text message_;
};

/// The exception type of one kind.
template <ErrorKind Kind>
class ExceptionOf : public Exception {
 public:
  using Exception::Exception;
};

using TensorUnavailable = ExceptionOf<ErrorKind::tensor_unavailable>;
using TensorUnavailableForStep = ExceptionOf<ErrorKind::tensor_unavailable_for_step>;
using ShapeUnavailableForStep = ExceptionOf<ErrorKind::shape_unavailable_for_step>;
using StepUnavailable = ExceptionOf<ErrorKind::step_unavailable>;
using StepNotYetAvailable = ExceptionOf<ErrorKind::step_not_yet_available>;
using NoMoreData = ExceptionOf<ErrorKind::no_more_data>;
using NoMoreProfilerData = ExceptionOf<ErrorKind::no_more_profiler_data>;
using InvalidWorker = ExceptionOf<ErrorKind::invalid_worker>;
using MissingCollectionFiles = ExceptionOf<ErrorKind::missing_collection_files>;
using IndexReaderException = ExceptionOf<ErrorKind::index_reader>;
using InvalidCollectionConfiguration = ExceptionOf<ErrorKind::invalid_collection_configuration>;
using RuleEvaluationConditionMet = ExceptionOf<ErrorKind::rule_evaluation_condition_met>;
using InsufficientInformationForRuleInvocation =
    ExceptionOf<ErrorKind::insufficient_information_for_rule_invocation>;
using InvalidArgument = ExceptionOf<ErrorKind::invalid_argument>;
using InvalidType = ExceptionOf<ErrorKind::invalid_type>;
using InvalidState = ExceptionOf<ErrorKind::invalid_state>;
using NotImplemented = ExceptionOf<ErrorKind::not_implemented>;
using NotFound = ExceptionOf<ErrorKind::not_found>;
using AlreadyExists = ExceptionOf<ErrorKind::already_exists>;
using PermissionDenied = ExceptionOf<ErrorKind::permission_denied>;
using NoSpace = ExceptionOf<ErrorKind::no_space>;
using IoFailure = ExceptionOf<ErrorKind::io>;
using Corrupt = ExceptionOf<ErrorKind::corrupt>;
using Unsupported = ExceptionOf<ErrorKind::unsupported>;
using LimitExceeded = ExceptionOf<ErrorKind::limit_exceeded>;
using Timeout = ExceptionOf<ErrorKind::timeout>;
using Cancelled = ExceptionOf<ErrorKind::cancelled>;

/// Throws the exception type of the error's kind.
[[noreturn]] LOUPE_DECL void throw_error(Error error);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/exceptions.ipp
#ifndef LOUPE_SINGLE_BASE_EXCEPTIONS_IPP
#define LOUPE_SINGLE_BASE_EXCEPTIONS_IPP

#if LOUPE_HAS_EXCEPTIONS
namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void throw_error(Error error) {
#define LOUPE_THROW_KIND(kind_name) \
  case ErrorKind::kind_name: throw ExceptionOf<ErrorKind::kind_name>(std::move(error))
  switch (error.kind) {
    LOUPE_THROW_KIND(tensor_unavailable);
    LOUPE_THROW_KIND(tensor_unavailable_for_step);
    LOUPE_THROW_KIND(shape_unavailable_for_step);
    LOUPE_THROW_KIND(step_unavailable);
    LOUPE_THROW_KIND(step_not_yet_available);
    LOUPE_THROW_KIND(no_more_data);
    LOUPE_THROW_KIND(no_more_profiler_data);
    LOUPE_THROW_KIND(invalid_worker);
    LOUPE_THROW_KIND(missing_collection_files);
    LOUPE_THROW_KIND(index_reader);
    LOUPE_THROW_KIND(invalid_collection_configuration);
    LOUPE_THROW_KIND(rule_evaluation_condition_met);
    LOUPE_THROW_KIND(insufficient_information_for_rule_invocation);
    LOUPE_THROW_KIND(invalid_argument);
    LOUPE_THROW_KIND(invalid_type);
    LOUPE_THROW_KIND(invalid_state);
    LOUPE_THROW_KIND(not_implemented);
    LOUPE_THROW_KIND(not_found);
    LOUPE_THROW_KIND(already_exists);
    LOUPE_THROW_KIND(permission_denied);
    LOUPE_THROW_KIND(no_space);
    LOUPE_THROW_KIND(io);
    LOUPE_THROW_KIND(corrupt);
    LOUPE_THROW_KIND(unsupported);
    LOUPE_THROW_KIND(limit_exceeded);
    LOUPE_THROW_KIND(timeout);
    LOUPE_THROW_KIND(cancelled);
  }
#undef LOUPE_THROW_KIND
  throw Exception(std::move(error));
}

}  // namespace loupe::inline LOUPE_ABI
#endif
#endif  // LOUPE_SINGLE_BASE_EXCEPTIONS_IPP
#endif
#endif  // LOUPE_SINGLE_BASE_EXCEPTIONS_HPP

namespace loupe::inline LOUPE_ABI {

#if LOUPE_HAS_EXCEPTIONS
/// A call returns its value, and throws the exception type of the error's kind.
struct Throw {
  template <class Value>
  using type = Value;
  static constexpr bool counts = false;
  template <class Value>
  static Value finish(result<Value>&& outcome) {
    if (!outcome) throw_error(std::move(outcome).error());
    if constexpr (!std::is_void_v<Value>) return *std::move(outcome);
  }
};
#endif

/// A call returns `result<Value>`.
struct Expect {
  template <class Value>
  using type = result<Value>;
  static constexpr bool counts = false;
  template <class Value>
  static result<Value> finish(result<Value>&& outcome) {
    return std::move(outcome);
  }
};

/// A call returns its value, or a value-initialised one when it failed; the object counts and keeps the failures.
struct Count {
  template <class Value>
  using type = Value;
  static constexpr bool counts = true;
  template <class Value>
  static Value finish(result<Value>&& outcome) {
    if constexpr (!std::is_void_v<Value>) {
      if (outcome) return *std::move(outcome);
      return Value();
    }
  }
};

/// What a call returns (`type<Value>`) and how a `result` becomes that (`finish`); `counts` asks the object to keep
/// the number of failures and the last one.
template <class Policy>
concept ErrorPolicy = requires(result<int>&& outcome) {
  typename Policy::template type<int>;
  { Policy::finish(std::move(outcome)) } -> std::same_as<typename Policy::template type<int>>;
  { Policy::counts } -> std::convertible_to<bool>;
};

/// The policy of readers when none is named.
#if LOUPE_HAS_EXCEPTIONS
using DefaultErrorPolicy = Throw;
#else
using DefaultErrorPolicy = Expect;
#endif

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ERROR_POLICY_HPP
// ---- loupe/base/function_ref.hpp
#ifndef LOUPE_SINGLE_BASE_FUNCTION_REF_HPP
#define LOUPE_SINGLE_BASE_FUNCTION_REF_HPP
/// @file
/// A callable that is borrowed for the duration of a call.

namespace loupe::inline LOUPE_ABI {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives it; two words, no allocation. Bind it only as a parameter.
template <class Return, class... Arguments>
class FunctionRef<Return(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_invocable_r_v<Return, Callable&, Arguments...>)
  FunctionRef(Callable&& callable) noexcept
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Return {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Return operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Return (*call_)(void*, Arguments...);
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_FUNCTION_REF_HPP
// ---- loupe/base/policies.hpp
#ifndef LOUPE_SINGLE_BASE_POLICIES_HPP
#define LOUPE_SINGLE_BASE_POLICIES_HPP
/// @file
/// Policy packs in any order: each policy is recognised by the concept it models.

namespace loupe::inline LOUPE_ABI {

/// A policy slot: a trait that recognises its policies, and the policy when none is named. `Recognises<Policy>::value`
/// is true for the types that belong to the slot.
template <template <class> class Recognises, class Default>
struct PolicySlot {
  using fallback = Default;
  template <class Policy>
  static constexpr bool recognises = Recognises<Policy>::value;
};

/// How many of the policies belong to the slot.
template <class Slot, class... Policies>
inline constexpr std::size_t policies_in_slot = (std::size_t{0} + ... + (Slot::template recognises<Policies> ? 1 : 0));

/// How many slots a policy belongs to; must be one.
template <class Policy, class... Slots>
inline constexpr std::size_t slots_of_policy = (std::size_t{0} + ... + (Slots::template recognises<Policy> ? 1 : 0));

namespace detail {
template <class Slot, class... Policies>
struct PickPolicy {
  using type = typename Slot::fallback;
};
template <class Slot, class First, class... Rest>
struct PickPolicy<Slot, First, Rest...>
    : std::conditional_t<Slot::template recognises<First>, std::type_identity<First>, PickPolicy<Slot, Rest...>> {};
}  // namespace detail

/// The policy of a slot: the one named in the pack, else the slot's default.
template <class Slot, class... Policies>
using policy_of = typename detail::PickPolicy<Slot, Policies...>::type;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_POLICIES_HPP
// ---- loupe/base/scalar.hpp
#ifndef LOUPE_SINGLE_BASE_SCALAR_HPP
#define LOUPE_SINGLE_BASE_SCALAR_HPP
/// @file
/// One element with its type: what a reduction gives.

namespace loupe::inline LOUPE_ABI {

/// A single number of any numeric element type.
class Scalar {
 public:
  Scalar() noexcept = default;
  /// Holds `number` as its own element type.
  template <Element Type>
    requires(!std::same_as<Type, std::string_view>)
  static Scalar from(Type number) noexcept {
    Scalar scalar;
    scalar.type_ = element_type_of<Type>;
    std::memcpy(scalar.bytes_, &number, sizeof number);
    return scalar;
  }

  [[nodiscard]] ElementType type() const noexcept { return type_; }
  [[nodiscard]] bool has_value() const noexcept { return type_ != ElementType::none; }

  /// The number as a double: exact up to 2^53, the real part of a complex number, NaN where there is none.
  [[nodiscard]] double as_double() const noexcept {
    return visit_element_type(type_, [this]<class Type>() -> double {
      if constexpr (std::is_void_v<Type> || std::same_as<Type, std::string_view>) {
        return __builtin_nan("");
      } else {
        const Type number = load_element<Type>(bytes_);
        if constexpr (std::same_as<Type, Float16> || std::same_as<Type, BFloat16>) return static_cast<double>(to_float(number));
        else if constexpr (std::same_as<Type, Complex64> || std::same_as<Type, Complex128>) return static_cast<double>(number.real);
        else return static_cast<double>(number);
      }
    });
  }

  /// A rank-0 view of the number; valid while the scalar lives.
  [[nodiscard]] TensorView view() const noexcept { return {bytes_, type_, Shape()}; }

 private:
  alignas(16) std::byte bytes_[16] = {};
  ElementType type_ = ElementType::none;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_SCALAR_HPP
// ---- loupe/base/step.hpp
#ifndef LOUPE_SINGLE_BASE_STEP_HPP
#define LOUPE_SINGLE_BASE_STEP_HPP
/// @file
/// The two counters of a run as types that don't mix.

namespace loupe::inline LOUPE_ABI {

/// A global step: counts the steps of all modes from 0, and names files.
struct Step {
  std::int64_t value = 0;
  constexpr Step() noexcept = default;
  constexpr explicit Step(std::int64_t number) noexcept : value(number) {}
  friend constexpr auto operator<=>(Step, Step) noexcept = default;
};

/// A step within one mode, from 0; save decisions use it. For `Mode::global` it equals the global step.
struct ModeStep {
  Mode mode = Mode::global;
  std::int64_t value = 0;
  constexpr ModeStep() noexcept = default;
  constexpr ModeStep(Mode of, std::int64_t number) noexcept : mode(of), value(number) {}
  friend constexpr auto operator<=>(const ModeStep&, const ModeStep&) noexcept = default;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_STEP_HPP
// ---- loupe/reduce/statistic.hpp
#ifndef LOUPE_SINGLE_REDUCE_STATISTIC_HPP
#define LOUPE_SINGLE_REDUCE_STATISTIC_HPP
/// @file
/// The statistics of a tensor: their kinds, sets of them, and their names. The only place that knows the names.

namespace loupe::inline LOUPE_ABI {

/// One number that describes a tensor. The first eighteen are smdebug's reductions: nine of the elements, and the same
/// nine of their absolute values. The others count elements; `first_non_finite` is the row-major index of the first
/// element that is NaN or infinite (-1 if there is none).
enum class Statistic : std::uint8_t {
  min, max, mean, std, variance, sum, prod, l1, l2,
  abs_min, abs_max, abs_mean, abs_std, abs_variance, abs_sum, abs_prod, abs_l1, abs_l2,
  nan_count, positive_infinity_count, negative_infinity_count, zero_count, first_non_finite
};

/// The number of statistics; enumerators are 0 … `statistic_count - 1`.
inline constexpr std::size_t statistic_count = 23;

/// A set of statistics: four bytes, iterated in the order of the enumeration.
class StatisticSet {
 public:
  constexpr StatisticSet() noexcept = default;
  constexpr StatisticSet(std::initializer_list<Statistic> members) noexcept {
    for (const Statistic member : members) insert(member);
  }
  constexpr StatisticSet(Statistic member) noexcept : bits_(bit(member)) {}
  /// The set of a bit mask, bit i standing for enumerator i; other bits are dropped.
  static constexpr StatisticSet from_bits(std::uint32_t bits) noexcept {
    StatisticSet set;
    set.bits_ = bits & ((std::uint32_t{1} << statistic_count) - 1);
    return set;
  }
  static constexpr StatisticSet all() noexcept { return from_bits(~std::uint32_t{0}); }

  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return static_cast<std::size_t>(std::popcount(bits_)); }
  [[nodiscard]] constexpr bool contains(Statistic member) const noexcept { return (bits_ & bit(member)) != 0; }
  /// Whether every member of `other` is in this set.
  [[nodiscard]] constexpr bool contains_all(StatisticSet other) const noexcept { return (other.bits_ & ~bits_) == 0; }
  /// Whether any member of `other` is in this set.
  [[nodiscard]] constexpr bool contains_any(StatisticSet other) const noexcept { return (other.bits_ & bits_) != 0; }
  constexpr void insert(Statistic member) noexcept { bits_ |= bit(member); }
  constexpr void erase(Statistic member) noexcept { bits_ &= ~bit(member); }

  friend constexpr StatisticSet operator|(StatisticSet a, StatisticSet b) noexcept { return from_bits(a.bits_ | b.bits_); }
  friend constexpr StatisticSet operator&(StatisticSet a, StatisticSet b) noexcept { return from_bits(a.bits_ & b.bits_); }
  /// The members of `a` that are not in `b`.
  friend constexpr StatisticSet operator-(StatisticSet a, StatisticSet b) noexcept { return from_bits(a.bits_ & ~b.bits_); }
  constexpr StatisticSet& operator|=(StatisticSet other) noexcept { return *this = *this | other; }
  constexpr StatisticSet& operator&=(StatisticSet other) noexcept { return *this = *this & other; }
  friend constexpr bool operator==(StatisticSet, StatisticSet) noexcept = default;

  class Iterator {
   public:
    constexpr explicit Iterator(std::uint32_t rest) noexcept : rest_(rest) {}
    constexpr Statistic operator*() const noexcept { return static_cast<Statistic>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() noexcept {
      rest_ &= rest_ - 1;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) noexcept = default;

   private:
    std::uint32_t rest_;
  };
  [[nodiscard]] constexpr Iterator begin() const noexcept { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const noexcept { return Iterator(0); }

 private:
  static constexpr std::uint32_t bit(Statistic member) noexcept { return std::uint32_t{1} << static_cast<unsigned>(member); }
  std::uint32_t bits_ = 0;
};

/// The eighteen that smdebug knows, writes and reads.
inline constexpr StatisticSet smdebug_statistics = StatisticSet::from_bits((std::uint32_t{1} << 18) - 1);

/// The counts and `first_non_finite`: loupe's own.
inline constexpr StatisticSet count_statistics = StatisticSet::all() - smdebug_statistics;

/// Whether it is taken of absolute values (`abs_min` … `abs_l2`).
constexpr bool is_absolute(Statistic statistic) noexcept {
  return statistic >= Statistic::abs_min && statistic <= Statistic::abs_l2;
}

/// Whether it is l1 or l2, with or without `abs_`.
constexpr bool is_norm(Statistic statistic) noexcept {
  return statistic == Statistic::l1 || statistic == Statistic::l2 || statistic == Statistic::abs_l1 ||
         statistic == Statistic::abs_l2;
}

/// The same statistic of absolute values (`min` → `abs_min`); itself where there is none.
constexpr Statistic absolute(Statistic statistic) noexcept {
  return statistic < Statistic::abs_min ? static_cast<Statistic>(static_cast<int>(statistic) + static_cast<int>(Statistic::abs_min))
                                        : statistic;
}

/// The same statistic of the elements themselves (`abs_min` → `min`); itself where there is none.
constexpr Statistic without_absolute(Statistic statistic) noexcept {
  return is_absolute(statistic) ? static_cast<Statistic>(static_cast<int>(statistic) - static_cast<int>(Statistic::abs_min))
                                : statistic;
}

/// The name in tensor names and in code: `min`, `variance`, `abs_l2`, `nan_count`, …
constexpr std::string_view statistic_name(Statistic statistic) noexcept {
  constexpr std::string_view names[statistic_count] = {
      "min",      "max",      "mean",     "std",          "variance", "sum",      "prod",   "l1",     "l2",
      "abs_min",  "abs_max",  "abs_mean", "abs_std",      "abs_variance", "abs_sum", "abs_prod", "abs_l1", "abs_l2",
      "nan_count", "positive_infinity_count", "negative_infinity_count", "zero_count", "first_non_finite"};
  return names[static_cast<std::size_t>(statistic)];
}

/// The statistic of a name as `statistic_name` gives it.
constexpr std::optional<Statistic> statistic_from_name(std::string_view name) noexcept {
  for (const Statistic statistic : StatisticSet::all())
    if (statistic_name(statistic) == name) return statistic;
  return std::nullopt;
}

/// The word in configurations (format.md section 7): norms end in `_norm` (`l2_norm`, `abs_l1_norm`), the others are as
/// `statistic_name`. smdebug reads only those of `smdebug_statistics`.
constexpr std::string_view config_name(Statistic statistic) noexcept {
  switch (statistic) {
    case Statistic::l1: return "l1_norm";
    case Statistic::l2: return "l2_norm";
    case Statistic::abs_l1: return "abs_l1_norm";
    case Statistic::abs_l2: return "abs_l2_norm";
    default: return statistic_name(statistic);
  }
}

/// The statistic of a configuration's word; `l1` without `_norm` is none, as in smdebug.
constexpr std::optional<Statistic> statistic_from_config_name(std::string_view word) noexcept {
  for (const Statistic statistic : StatisticSet::all())
    if (config_name(statistic) == word) return statistic;
  return std::nullopt;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_STATISTIC_HPP
#endif  // LOUPE_SINGLE_LOUPE_HPP
