// SPDX-License-Identifier: BSD-3-Clause
// The tile interpreter and memory: register tiles, and stores past the cache.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace gamelan::engine::exec {

/// Memory of one register tile, aligned for any vector.
struct TileDeleter {
  void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
};
using TileMemory = std::unique_ptr<std::byte, TileDeleter>;
TileMemory make_tile(std::int64_t item_bytes);

/// Copies past the cache (SSE2, which every x86-64 has): memory is not read first, and what is in cache stays.
void stream(const std::byte* from, std::byte* to, std::int64_t bytes);
/// Streamed stores are seen by other ranks in no particular order until this.
void settle_streams();

}  // namespace gamelan::engine::exec
