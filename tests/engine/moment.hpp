// SPDX-License-Identifier: BSD-3-Clause
// What NumPy makes of a batch, a command at a time: int64 arrays, and the few operations that
// random_batches.hpp writes. Integers wrap, so sums have the same bits in every order.
#pragma once
#include <map>

#include "protocol/message.hpp"

namespace gamelan::testing {

/// The elements of each array after some commands.
struct Moment {
  std::map<protocol::ArrayId, std::vector<std::int64_t>> arrays;
  void run(const protocol::Batch& batch, const protocol::Command& command);
};

}  // namespace gamelan::testing
