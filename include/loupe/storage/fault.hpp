#pragma once
/// @file
/// A storage that fails on purpose: to test what depends on one, loupe's own code and that of its users.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/storage/concept.hpp"
#include "loupe/storage/mapped_bytes.hpp"
#include "loupe/storage/storage_watch.hpp"

namespace loupe::inline LOUPE_ABI {

/// The operations of a storage, as a plan of faults tells them apart.
enum class StorageOperation : std::uint8_t { list, stat, read, map, put, remove, stage, append, commit };

/// Which operation fails. Copies share the count. Safe for concurrent use.
class FaultPlan {
 public:
  /// Nothing fails; operations are counted.
  FaultPlan() : state_(std::make_shared<State>()) {}
  /// The n-th operation fails (the first is 1), and the `count - 1` after it.
  static FaultPlan fail_nth(std::uint64_t n, std::uint64_t count = 1, ErrorKind kind = ErrorKind::io) {
    FaultPlan plan;
    plan.state_->first = n;
    plan.state_->count = count;
    plan.state_->kind = kind;
    return plan;
  }
  /// As before, counting operations of one kind only.
  FaultPlan only(StorageOperation operation) && {
    state_->only = operation;
    state_->has_only = true;
    return std::move(*this);
  }

  /// How many operations were counted, those that failed too.
  [[nodiscard]] std::uint64_t operations() const {
    const std::lock_guard lock(state_->mutex);
    return state_->operations;
  }
  /// Counts an operation and says whether it fails.
  [[nodiscard]] result<void> before(StorageOperation operation, std::string_view key) const {
    const std::lock_guard lock(state_->mutex);
    if (state_->has_only && operation != state_->only) return {};
    const std::uint64_t number = ++state_->operations;
    if (state_->first == 0 || number < state_->first || number - state_->first >= state_->count) return {};
    return fail(state_->kind, key, "a fault was planned for this operation");
  }

 private:
  struct State {
    std::mutex mutex;
    std::uint64_t operations = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    ErrorKind kind = ErrorKind::io;
    StorageOperation only = StorageOperation::list;
    bool has_only = false;
  };
  std::shared_ptr<State> state_;
};

/// A storage whose operations fail as planned. A planned failure of `append` leaves half of the bytes behind, as a full
/// disk does.
template <class StorageType>
class FaultStorage {
  static_assert(Storage<StorageType>, "loupe::FaultStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp");

 public:
  /// An object that is being written.
  class Staged {
   public:
    result<std::uint64_t> append(std::span<const std::byte> bytes) {
      auto planned = plan_.before(StorageOperation::append, "staged object");
      if (planned) return staged_.append(bytes);
      (void)staged_.append(bytes.first(bytes.size() / 2));
      return fail(std::move(planned).error());
    }
    result<void> commit() {
      LOUPE_TRY(plan_.before(StorageOperation::commit, "staged object"));
      return staged_.commit();
    }

   private:
    friend FaultStorage;
    Staged(typename StorageType::Staged staged, FaultPlan plan) : staged_(std::move(staged)), plan_(std::move(plan)) {}
    typename StorageType::Staged staged_;
    FaultPlan plan_;
  };

  FaultStorage(StorageType storage, FaultPlan plan) : storage_(std::move(storage)), plan_(std::move(plan)) {}

  [[nodiscard]] Capabilities capabilities() const noexcept { return storage_.capabilities(); }
  [[nodiscard]] Text name() const { return storage_.name(); }
  result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) {
    LOUPE_TRY(plan_.before(StorageOperation::list, prefix));
    return storage_.list(prefix, start_after, sink);
  }
  result<void> list_unfinished(std::string_view prefix, ListSink sink)
    requires requires(StorageType& storage) { storage.list_unfinished(prefix, sink); }
  {
    LOUPE_TRY(plan_.before(StorageOperation::list, prefix));
    return storage_.list_unfinished(prefix, sink);
  }
  result<ObjectInfo> stat(std::string_view key) {
    LOUPE_TRY(plan_.before(StorageOperation::stat, key));
    return storage_.stat(key);
  }
  result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) {
    LOUPE_TRY(plan_.before(StorageOperation::read, key));
    return storage_.read(key, range, out);
  }
  result<MappedBytes> map(std::string_view key)
    requires requires(StorageType& storage) { storage.map(key); }
  {
    LOUPE_TRY(plan_.before(StorageOperation::map, key));
    return storage_.map(key);
  }
  result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) {
    LOUPE_TRY(plan_.before(StorageOperation::put, key));
    return storage_.put(key, bytes, mode);
  }
  result<void> remove(std::string_view key) {
    LOUPE_TRY(plan_.before(StorageOperation::remove, key));
    return storage_.remove(key);
  }
  StorageWatch watch(std::span<const std::string_view> prefixes)
    requires requires(StorageType& storage) { storage.watch(prefixes); }
  {
    return storage_.watch(prefixes);
  }
  result<Staged> stage(std::string_view key) {
    LOUPE_TRY(plan_.before(StorageOperation::stage, key));
    LOUPE_ASSIGN(auto staged, storage_.stage(key));
    return Staged(std::move(staged), plan_);
  }

 private:
  StorageType storage_;
  FaultPlan plan_;
};

}  // namespace loupe::inline LOUPE_ABI
