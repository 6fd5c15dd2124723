#pragma once
/// @file
/// Owners of objects on the heap, without `<memory>`, which costs a compiler more than most of loupe's headers do.

#include <concepts>
#include <utility>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Owns an object alone; `std::unique_ptr` without its header.
template <class Type>
class Owner {
 public:
  Owner() noexcept = default;
  explicit Owner(Type* object) noexcept : object_(object) {}
  /// Takes over what another kind of owner, such as `std::unique_ptr`, owns.
  template <class Other>
    requires requires(Other& other) {
      { other.release() } -> std::convertible_to<Type*>;
    }
  Owner(Other other) noexcept : object_(other.release()) {}
  Owner(Owner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owner() { delete object_; }

  [[nodiscard]] Type* get() const noexcept { return object_; }
  Type& operator*() const noexcept { return *object_; }
  Type* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Type* object_ = nullptr;
};

/// Base of the objects of `SharedOwner`: knows how many own it.
class OwnerCount {
 public:
  OwnerCount() noexcept = default;
  OwnerCount(const OwnerCount&) = delete;
  OwnerCount& operator=(const OwnerCount&) = delete;

 protected:
  ~OwnerCount() = default;

 private:
  template <class Type>
  friend class SharedOwner;
  // Builtins, because <atomic> costs as much as <memory>.
  void add() noexcept { __atomic_fetch_add(&owners_, 1, __ATOMIC_RELAXED); }
  bool remove() noexcept { return __atomic_fetch_sub(&owners_, 1, __ATOMIC_ACQ_REL) == 1; }
  unsigned long owners_ = 1;
};

/// Owns an object together with its copies; `std::shared_ptr` without its header, for types derived from `OwnerCount`.
template <class Type>
class SharedOwner {
 public:
  SharedOwner() noexcept = default;
  explicit SharedOwner(Type* object) noexcept : object_(object) {}
  SharedOwner(const SharedOwner& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->OwnerCount::add();
  }
  SharedOwner(SharedOwner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  SharedOwner& operator=(SharedOwner other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~SharedOwner() {
    if (object_ != nullptr && object_->OwnerCount::remove()) delete object_;
  }

  [[nodiscard]] Type* get() const noexcept { return object_; }
  Type& operator*() const noexcept { return *object_; }
  Type* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Type* object_ = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
