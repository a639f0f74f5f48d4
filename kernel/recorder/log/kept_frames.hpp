// SPDX-License-Identifier: BSD-3-Clause
// The frames of a batch as the log keeps them: as they were sent, or compressed together with those of its
// neighbours, which look much alike.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "protocol/codec.hpp"

namespace gamelan::kernel {

using SharedFrames = std::shared_ptr<const protocol::Frames>;

/// Compressed by zlib's fastest level: nine tenths of batches that look alike go, at some 300 MB/s.
protocol::Bytes compressed(std::span<const std::byte> bytes);
/// The `size` bytes that `compressed` was given. Throws Error{protocol} where it was not that.
protocol::Bytes expanded(std::span<const std::byte> packed, std::size_t size);

class KeptFrames {
 public:
  KeptFrames() = default;
  KeptFrames(SharedFrames frames) : frames_(std::move(frames)) {}  // NOLINT: frames are what this is

  /// As they were sent. Of those that are compressed the neighbours are expanded, too, and stay so until
  /// others are asked for: walk through a log in order, either way. Callers hold Python's GIL.
  SharedFrames sent() const;
  std::int64_t bytes() const;       ///< of memory that they take
  std::int64_t sent_bytes() const;  ///< that they had when they were sent

  bool has_many_elements() const;  ///< which would not become fewer

  /// Compresses neighbours together where that makes them smaller. Few bytes stay as they are, and batches
  /// with many elements.
  static void pack(std::span<KeptFrames*> neighbours);

 private:
  struct Segment;
  SharedFrames frames_;                     // or, where there are none:
  std::shared_ptr<const Segment> segment_;  // the neighbours'
  std::size_t begin_ = 0, end_ = 0;         // of its expanded bytes
};

}  // namespace gamelan::kernel
