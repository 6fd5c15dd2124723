#pragma once
/// @file
/// An executor of any type, owned.

#include <concepts>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/executor.hpp"
#include "loupe/base/owner.hpp"

namespace loupe::inline LOUPE_ABI {

/// Owns an executor whose type is known only at construction. Move-only.
class AnyExecutor {
 public:
  /// Moves the executor in, or for one that can't move constructs it in place: `AnyExecutor(std::in_place_type<Type>)`.
  template <class Type>
    requires(!std::same_as<Type, AnyExecutor> && std::move_constructible<Type>)
  explicit AnyExecutor(Type executor) : executor_(new Owned<Type>(std::move(executor))) {}
  template <class Type>
  explicit AnyExecutor(std::in_place_type_t<Type>) : executor_(new Owned<Type>()) {}

  bool post(Task task) { return executor_->post(std::move(task)); }
  void drain() { executor_->drain(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual bool post(Task task) = 0;
    virtual void drain() = 0;
  };
  template <class Type>
  struct Owned final : Base {
    static_assert(Executor<Type>,
                  "loupe::AnyExecutor: the type must model loupe::Executor; see loupe/base/executor.hpp");
    template <class... Arguments>
    explicit Owned(Arguments&&... arguments) : executor(std::forward<Arguments>(arguments)...) {}
    bool post(Task task) override { return executor.post(std::move(task)); }
    void drain() override { executor.drain(); }
    Type executor;
  };
  Owner<Base> executor_;
};

}  // namespace loupe::inline LOUPE_ABI
