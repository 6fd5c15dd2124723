#pragma once
/// @file
/// A storage whose type is known only at run time: what passes the boundary behind which nothing is a template.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/owner.hpp"
#include "loupe/storage/concept.hpp"
#include "loupe/storage/mapped_bytes.hpp"
#include "loupe/storage/storage_watch.hpp"

namespace loupe::inline LOUPE_ABI {

/// Any storage; copies share it. Also a storage itself.
class AnyStorage {
 public:
  /// An object that is being written.
  class Staged {
   public:
    result<std::uint64_t> append(std::span<const std::byte> bytes) { return staged_->append(bytes); }
    result<void> commit() { return staged_->commit(); }

   private:
    friend AnyStorage;
    struct Base {
      virtual ~Base() = default;
      virtual result<std::uint64_t> append(std::span<const std::byte> bytes) = 0;
      virtual result<void> commit() = 0;
    };
    template <class Type>
    struct Owned final : Base {
      explicit Owned(Type object) : staged(std::move(object)) {}
      result<std::uint64_t> append(std::span<const std::byte> bytes) override { return staged.append(bytes); }
      result<void> commit() override { return staged.commit(); }
      Type staged;
    };
    explicit Staged(Owner<Base> staged) noexcept : staged_(std::move(staged)) {}
    Owner<Base> staged_;
  };

  template <class Type>
    requires(!std::same_as<Type, AnyStorage>)
  explicit AnyStorage(Type storage) : storage_(new Owned<Type>(std::move(storage))) {
    static_assert(Storage<Type>, "loupe::AnyStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp");
  }

  [[nodiscard]] Capabilities capabilities() const noexcept { return storage_->capabilities(); }
  [[nodiscard]] Text name() const { return storage_->name(); }
  result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) const {
    return storage_->list(prefix, start_after, sink);
  }
  /// What writers that were interrupted have left below `prefix`, by keys that `remove` takes; nothing where a storage
  /// has no such things.
  result<void> list_unfinished(std::string_view prefix, ListSink sink) const { return storage_->list_unfinished(prefix, sink); }
  result<ObjectInfo> stat(std::string_view key) const { return storage_->stat(key); }
  result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) const { return storage_->read(key, range, out); }
  /// The bytes without a copy; `unsupported` where the storage can't (`capabilities().map`).
  result<MappedBytes> map(std::string_view key) const { return storage_->map(key); }
  result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) const {
    return storage_->put(key, bytes, mode);
  }
  result<void> remove(std::string_view key) const { return storage_->remove(key); }
  /// Notices changes of the objects whose keys begin with one of `prefixes`; of none where the storage can't.
  StorageWatch watch(std::span<const std::string_view> prefixes) const { return storage_->watch(prefixes); }
  result<Staged> stage(std::string_view key) const {
    return storage_->stage(key);
  }

 private:
  struct Base : OwnerCount {
    virtual ~Base() = default;
    virtual Capabilities capabilities() const noexcept = 0;
    virtual Text name() const = 0;
    virtual result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) = 0;
    virtual result<void> list_unfinished(std::string_view prefix, ListSink sink) = 0;
    virtual result<ObjectInfo> stat(std::string_view key) = 0;
    virtual result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) = 0;
    virtual result<MappedBytes> map(std::string_view key) = 0;
    virtual result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) = 0;
    virtual result<void> remove(std::string_view key) = 0;
    virtual StorageWatch watch(std::span<const std::string_view> prefixes) = 0;
    virtual result<Staged> stage(std::string_view key) = 0;
  };
  template <class Type>
  struct Owned final : Base {
    explicit Owned(Type object) : storage(std::move(object)) {}
    Capabilities capabilities() const noexcept override { return storage.capabilities(); }
    Text name() const override { return storage.name(); }
    result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) override {
      return storage.list(prefix, start_after, sink);
    }
    result<void> list_unfinished(std::string_view prefix, ListSink sink) override {
      if constexpr (requires { storage.list_unfinished(prefix, sink); })
        return storage.list_unfinished(prefix, sink);
      else
        return {};
    }
    result<ObjectInfo> stat(std::string_view key) override { return storage.stat(key); }
    result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) override { return storage.read(key, range, out); }
    result<MappedBytes> map(std::string_view key) override {
      if constexpr (requires { storage.map(key); })
        return storage.map(key);
      else
        return fail(ErrorKind::unsupported, key, "this storage can't map objects");
    }
    result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) override {
      return storage.put(key, bytes, mode);
    }
    result<void> remove(std::string_view key) override { return storage.remove(key); }
    StorageWatch watch(std::span<const std::string_view> prefixes) override {
      if constexpr (requires { storage.watch(prefixes); })
        return storage.watch(prefixes);
      else
        return StorageWatch();
    }
    result<Staged> stage(std::string_view key) override {
      LOUPE_ASSIGN(auto staged, storage.stage(key));
      return Staged(Owner<Staged::Base>(new Staged::Owned<typename Type::Staged>(std::move(staged))));
    }
    Type storage;
  };
  SharedOwner<Base> storage_;
};

/// Removes every object whose key begins with `prefix`; the first failure is the answer, after all were tried.
LOUPE_DECL result<void> remove_all(const AnyStorage& storage, std::string_view prefix);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/storage/any_storage.ipp"
#endif
