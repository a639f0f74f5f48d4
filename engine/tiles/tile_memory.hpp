// SPDX-License-Identifier: BSD-3-Clause
// Memory of the tile interpreter: register tiles, and stores past the cache.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace gamelan::engine::tiles {

/// The register tiles of one program. When a load follows shortly after a store to another address that is
/// slightly ahead of it modulo 4 KiB, processors take it for dependent on the store; that costs a third of a
/// loop's speed. So the same element of two tiles is at the same offset of a page, or half a page from it,
/// and as far from the elements of arrays that begin with a page.
class TileMemory {
 public:
  /// Zeroed memory for a tile. It lives as long as this object. `bytes`: a power of two.
  std::byte* take(std::int64_t bytes);

 private:
  static constexpr std::int64_t page = 4096;
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{page}); }
  };
  std::vector<std::unique_ptr<std::byte, Delete>> chunks_;
  std::int64_t chunk_bytes_ = 0, next_ = 0;  // of the last chunk
};

/// Copies past the cache (SSE2, which every x86-64 has): the target is not read first, and the contents of
/// the cache stay.
void stream(const std::byte* from, std::byte* to, std::int64_t bytes);
/// After this, streamed stores are visible to other ranks. Before, other ranks may see them in any order.
void settle_streams();

}  // namespace gamelan::engine::tiles
