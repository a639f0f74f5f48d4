// SPDX-License-Identifier: BSD-3-Clause
// One version of an array's elements: a block of the heap, at the same offset on every rank, and the steps
// after which it may be touched. Steps have the same numbers on all ranks, and every rank publishes the last
// step that it has finished. So every wait is "until rank r has finished step s", and no rank asks another.
#pragma once
#include <cstdint>
#include <memory>

#include "engine/distribution/allocator.hpp"

namespace gamelan::engine::distribution {

/// A version of an array's elements. The step numbers are 0 while nothing of the kind has happened; they are
/// equal on all ranks.
struct Storage {
  Allocator::Block block;
  std::uint64_t written_by = 0;    ///< last step in which ranks wrote their own blocks
  std::uint64_t read_by = 0;       ///< last step in which ranks may have read blocks of others
  std::uint64_t scattered_by = 0;  ///< last step in which ranks may have written blocks of others
  std::int64_t bytes_before = 0;   ///< of a rank's elements, which come before those that the block holds now
};
using StoragePtr = std::shared_ptr<Storage>;

}  // namespace gamelan::engine::distribution
