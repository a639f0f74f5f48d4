// SPDX-License-Identifier: BSD-3-Clause
// How the rows read_hdf5 and read_zarr are laid out in a command: which part of a dataset is read, and how
// its chunks stand in their files.
#pragma once
#include "protocol/message.hpp"

namespace gamelan::protocol {

/// What unpacks a chunk of a Zarr array.
enum class ChunkCodec : std::uint8_t { none, zlib /* gzip, too */, blosc, count };

/// A box of a dataset, with steps: index i of axis k of the result is index start[k] + i * step[k] there.
struct Selection {
  Shape start, step;
  bool operator==(const Selection&) const = default;
};

/// Chunks of a Zarr array, format version 2: files of one folder (or of nested ones), named by their number
/// along each axis.
struct ZarrChunks {
  ChunkCodec codec = ChunkCodec::none;
  bool is_fortran = false, is_swapped = false, is_nested = false;
  Shape extents;  ///< of one chunk, also of one at the rim
  bool operator==(const ZarrChunks&) const = default;
};

/// Of a read_hdf5 that check() has passed: ints = start per axis, step per axis.
Selection hdf5_selection(const Command& command);
/// Its payload is an absolute path, a zero, and the dataset's name in the file.
std::pair<std::string, std::string> hdf5_names(const Bytes& payload);
/// Of a read_zarr that check() has passed: ints = codec, three flags, then start, step and chunk extent per
/// axis.
Selection zarr_selection(const Command& command);
ZarrChunks zarr_chunks(const Command& command);

}  // namespace gamelan::protocol
