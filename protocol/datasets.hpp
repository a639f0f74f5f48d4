// SPDX-License-Identifier: BSD-3-Clause
// How the commands read_hdf5 and read_zarr describe what they read: the part of a dataset, and how its chunks
// are stored in files.
#pragma once
#include "protocol/message.hpp"

namespace gamelan::protocol {

/// What decompresses a chunk of a Zarr array.
enum class ChunkCodec : std::uint8_t { none, zlib /* gzip, too */, blosc, count };

/// A box of a dataset, with steps. Index i of the result's axis k is index start[k] + i * step[k] of the
/// dataset.
struct Selection {
  Shape start, step;
  bool operator==(const Selection&) const = default;
};

/// The chunks of a Zarr array, format version 2. Each chunk is a file in one folder (or in nested folders),
/// named by its number along each axis.
struct ZarrChunks {
  ChunkCodec codec = ChunkCodec::none;
  bool is_fortran = false, is_swapped = false, is_nested = false;
  Shape extents;  ///< of every chunk, also of one at the edge
  bool operator==(const ZarrChunks&) const = default;
};

/// The selection of a read_hdf5 command that check() has passed; its ints are: start per axis, step per axis.
Selection hdf5_selection(const Command& command);
/// Splits the payload of a read_hdf5 command: an absolute path, a zero byte, the dataset's name in the file.
std::pair<std::string, std::string> hdf5_names(const Bytes& payload);
/// The selection of a read_zarr command that check() has passed; its ints are: codec, three flags, then
/// start, step and chunk extent per axis.
Selection zarr_selection(const Command& command);
ZarrChunks zarr_chunks(const Command& command);

}  // namespace gamelan::protocol
