// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/chunk_codec.hpp"

#include <blosc.h>
#include <zlib.h>

#include <algorithm>

namespace gamelan::engine::steps {
namespace {

using protocol::ChunkCodec;

bool inflate_zlib(std::span<const std::byte> packed, std::span<std::byte> chunk) {
  constexpr int zlib_or_gzip = 15 + 32;
  z_stream stream{};
  if (inflateInit2(&stream, zlib_or_gzip) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(
      const_cast<std::byte*>(packed.data()));  // zlib's interface is older than const
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
  stream.avail_out = static_cast<uInt>(chunk.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool is_whole = result == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return is_whole;
}

bool decompress_blosc(std::span<const std::byte> packed, std::span<std::byte> chunk) {
  std::size_t bytes = 0;
  if (blosc_cbuffer_validate(packed.data(), packed.size(), &bytes) != 0 || bytes != chunk.size())
    return false;
  return blosc_decompress_ctx(packed.data(), chunk.data(), chunk.size(), 1) == static_cast<int>(bytes);
}

bool fill(ChunkCodec codec, std::span<const std::byte> packed, std::span<std::byte> chunk) {
  if (codec == ChunkCodec::zlib) return inflate_zlib(packed, chunk);
  if (codec == ChunkCodec::blosc) return decompress_blosc(packed, chunk);
  if (packed.size() == chunk.size()) std::copy(packed.begin(), packed.end(), chunk.begin());
  return packed.size() == chunk.size();
}

}  // namespace

void unpack(ChunkCodec codec, std::span<const std::byte> packed, std::span<std::byte> chunk) {
  if (!fill(codec, packed, chunk))
    throw protocol::Error(
        protocol::ErrorKind::value,
        "[read_zarr] a chunk is broken: it does not unpack to " + std::to_string(chunk.size()) + " bytes");
}

}  // namespace gamelan::engine::steps
