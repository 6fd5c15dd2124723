#include "loupe/select/name_table.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::size_t NameTable::slot_of(std::string_view name) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(name) & mask;
  while (slots_[slot] != none && entries_[slots_[slot]].name.view() != name) slot = (slot + 1) & mask;
  return slot;
}

LOUPE_DECL NameTable::Found NameTable::find_or_add_unpredicted(std::string_view name) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  std::uint32_t& slot = slots_[slot_of(name)];
  const bool is_new = slot == none;
  if (is_new) {
    entries_.push_back({Text(name), none, 0});
    slot = size() - 1;
  }
  successor() = slot;
  order_.last = slot;
  return {slot, is_new};
}

LOUPE_DECL void NameTable::grow() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), none);
  for (std::uint32_t id = 0; id < size(); ++id) slots_[slot_of(entries_[id].name)] = id;
}

}  // namespace loupe::inline LOUPE_ABI
