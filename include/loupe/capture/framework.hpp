#pragma once
/// @file
/// The concept that a framework models: how its tensors become views.

#include <concepts>
#include <string_view>
#include <type_traits>

#include "loupe/base/config.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI {

/// `FrameworkType::view(tensor)` gives a view of the tensor's own memory, without a copy.
template <class FrameworkType, class Tensor>
concept Views = requires(const Tensor& tensor) {
  { FrameworkType::view(tensor) } noexcept -> std::same_as<TensorView>;
};

/// `FrameworkType::evaluate(expression)` computes a lazy expression into a tensor that can be viewed. It is called
/// only for expressions that are going to be saved.
template <class FrameworkType, class Expression>
concept Evaluates = requires(const Expression& expression) {
  requires Views<FrameworkType, std::remove_cvref_t<decltype(FrameworkType::evaluate(expression))>>;
};

/// What a hook can be given to save.
template <class FrameworkType, class Tensor>
concept SavesTensor = Views<FrameworkType, Tensor> || Evaluates<FrameworkType, Tensor>;

/// A framework:
/// - `name`: a text for messages;
/// - `Tensor`: a type of tensor that `view` takes (it may take others);
/// - `view(const Tensor&) noexcept -> TensorView`: no copy; an undefined tensor or missing gradient is an empty view,
///   never an exception;
/// - `fills(collection) -> bool`, constexpr: whether the framework can fill that default collection by itself or from
///   what its users save, so that a rule's needs can be checked at compile time.
/// Optionally `evaluate(expression)`, see `Evaluates`.
template <class FrameworkType>
concept Framework = requires {
  { FrameworkType::name } -> std::convertible_to<std::string_view>;
  typename FrameworkType::Tensor;
  requires Views<FrameworkType, typename FrameworkType::Tensor>;
  requires std::same_as<std::bool_constant<FrameworkType::fills("weights")>,
                        std::bool_constant<FrameworkType::fills("weights")>>;
};

}  // namespace loupe::inline LOUPE_ABI
