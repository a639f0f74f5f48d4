// SPDX-License-Identifier: BSD-3-Clause
// Decompresses chunks with zlib, Blosc or Zstandard. The contents of a file cannot be trusted: a chunk that
// is broken, or of another size, throws.
#pragma once
#include <span>

#include "protocol/datasets.hpp"

namespace gamelan::engine::steps {

/// Decompresses `packed` into `chunk`. Throws Error{value} when that does not give exactly so many bytes.
void unpack(protocol::ChunkCodec codec, std::span<const std::byte> packed, std::span<std::byte> chunk);

}  // namespace gamelan::engine::steps
