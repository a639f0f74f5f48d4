// SPDX-License-Identifier: BSD-3-Clause
// Elements of a distributed array that are known here: see elements.hpp.
#pragma once
#include <cstdint>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// What is known here of one array's elements. Only what was fetched when the array had `version` counts.
struct ReadAhead {
  std::uint64_t version = 0;
  int values_wanted = 0;  // of elements picked one by one, since the last time that more was fetched
  protocol::Dtype dtype = protocol::Dtype::bool_;
  std::int64_t first = 0;  // byte of the array at which `bytes` begins
  protocol::Bytes bytes;
};

}  // namespace gamelan::kernel
