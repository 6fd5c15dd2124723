#pragma once
/// @file
/// One element with its type: what a reduction gives.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/tensor_view.hpp"

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
