// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/chunk_codec.hpp"

#include <blosc.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

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

bool decompress_container(std::span<const std::byte> packed, std::span<std::byte> chunk) {
  std::size_t bytes = 0;
  if (blosc_cbuffer_validate(packed.data(), packed.size(), &bytes) != 0 || bytes != chunk.size())
    return false;
  return blosc_decompress_ctx(packed.data(), chunk.data(), chunk.size(), 1) == static_cast<int>(bytes);
}

/// A plain Zstandard frame. Blosc's library holds Zstandard: in front of the frame goes the header of a
/// container of one block.
bool decompress_zstd(std::span<const std::byte> packed, std::span<std::byte> chunk) {
  constexpr std::size_t header_bytes = 16 + sizeof(std::int32_t);  // and the place of the only block
  constexpr std::array<std::uint8_t, 4> kinds = {2, 1, 0x90, 1};   // formats; Zstandard, unsplit; bytes
  constexpr std::array<std::uint8_t, 8> empty_frame = {0x50, 0x2A, 0x4D, 0x18};  // which a reader skips
  const std::size_t longest = std::numeric_limits<std::int32_t>::max() - 64;
  if (packed.size() > longest || chunk.size() > longest) return false;
  const bool is_for_stored = packed.size() == chunk.size();  // to Blosc a block of this length is not packed
  const auto frame_bytes =
      static_cast<std::int32_t>(packed.size() + (is_for_stored ? empty_frame.size() : 0));
  const auto chunk_bytes = static_cast<std::int32_t>(chunk.size());
  const auto place = static_cast<std::int32_t>(header_bytes);
  const auto all_bytes = static_cast<std::int32_t>(header_bytes + sizeof frame_bytes) + frame_bytes;
  std::vector<std::byte> container;
  container.reserve(static_cast<std::size_t>(all_bytes));
  const auto append = [&container](const auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    container.insert(container.end(), bytes.begin(), bytes.end());
  };
  append(kinds);
  for (const std::int32_t number : {chunk_bytes, chunk_bytes, all_bytes, place, frame_bytes}) append(number);
  container.insert(container.end(), packed.begin(), packed.end());
  if (is_for_stored) append(empty_frame);
  return decompress_container(container, chunk);
}

bool decompress_blosc(std::span<const std::byte> packed, std::span<std::byte> chunk) {
  constexpr std::array<std::uint8_t, 4> zstd_begins = {0x28, 0xB5, 0x2F, 0xFD};  // a container: otherwise
  const bool is_zstd = packed.size() >= zstd_begins.size() &&
                       std::memcmp(packed.data(), zstd_begins.data(), zstd_begins.size()) == 0;
  return is_zstd ? decompress_zstd(packed, chunk) : decompress_container(packed, chunk);
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
