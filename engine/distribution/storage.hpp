// SPDX-License-Identifier: BSD-3-Clause
// One version of an array's elements: a block of the heap, at the same offset on every rank, and the steps
// after which it may be touched. Steps are numbered alike on all ranks, and every rank publishes the last one
// it has finished; so a wait is "until rank r has finished step s", and no rank ever asks another.
#pragma once
#include <cstdint>
#include <memory>

#include "engine/distribution/allocator.hpp"

namespace gamelan::engine::distribution {

struct Storage {
  Allocator::Block block;
  std::uint64_t written_by = 0;    ///< last step in which ranks wrote their own blocks
  std::uint64_t read_by = 0;       ///< last step in which ranks may have read blocks of others
  std::uint64_t scattered_by = 0;  ///< last step in which ranks may have written blocks of others
};
using StoragePtr = std::shared_ptr<Storage>;

}  // namespace gamelan::engine::distribution
