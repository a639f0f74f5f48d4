// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/context.hpp"

#include <algorithm>
#include <cstdint>

namespace gamelan::engine::steps {

void StepContext::count_shared(const distribution::Box& cell, const distribution::Piece& piece,
                               std::size_t item_bytes) const {
  auto bytes = static_cast<std::uint64_t>(item_bytes);
  for (std::size_t k = 0; k < cell.size(); ++k)
    if (piece.strides[k] != 0) bytes *= static_cast<std::uint64_t>(cell[k].size());
  counters_.bytes_shared += bytes;
}

void StepContext::await_all(std::uint64_t step) const {
  if (step == 0) return;
  for (const int near : comm_.near_ranks())
    if (near != rank()) board_.await(near, step);
}

void StepContext::prepare_write(int slot) const {
  auto& storage = this->storage(slot);
  await_all(std::max<std::uint64_t>({storage.read_by, storage.scattered_by, storage.block.stamp}));
  storage.read_by = storage.scattered_by = storage.block.stamp = 0;
}

void StepContext::prepare_read(int slot) const {
  auto& storage = this->storage(slot);
  await_all(storage.scattered_by);
  if (storage.scattered_by > 0) storage.written_by = std::max(storage.written_by, storage.scattered_by);
  storage.scattered_by = 0;
}

std::byte* StepContext::block(int slot, int owner) const {
  const auto& storage = this->storage(slot);
  if (!comm_.is_near(owner)) {
    ghost_exchange_->await();
    return heap_.ghost_address(owner, storage.block.offset);
  }
  if (owner != rank() && storage.written_by > 0 && storage.written_by < step_)
    board_.await(owner, storage.written_by);
  // Where a block would begin if it held all elements: what is addressed lies behind it.
  const auto first = reinterpret_cast<std::uintptr_t>(heap_.address(owner, storage.block.offset));
  return reinterpret_cast<std::byte*>(first - static_cast<std::uintptr_t>(storage.bytes_before));
}

}  // namespace gamelan::engine::steps
