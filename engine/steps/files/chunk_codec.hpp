// SPDX-License-Identifier: BSD-3-Clause
// Unpacks chunks by zlib or Blosc. What is in a file is nobody's promise: a chunk that is broken, or of
// another size, throws.
#pragma once
#include <span>

#include "protocol/datasets.hpp"

namespace gamelan::engine::steps {

/// Fills `chunk` with what `packed` holds. Throws Error{value} when that is not exactly so many bytes.
void unpack(protocol::ChunkCodec codec, std::span<const std::byte> packed, std::span<std::byte> chunk);

}  // namespace gamelan::engine::steps
