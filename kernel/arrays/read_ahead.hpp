// SPDX-License-Identifier: BSD-3-Clause
// Elements of a distributed array that were fetched ahead (elements.hpp).
#pragma once
#include <cstdint>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// The fetched elements of one array. They are valid while the array has `version`.
struct ReadAhead {
  std::uint64_t version = 0;
  int values_wanted = 0;  // of elements picked one by one, since the last time that more was fetched
  protocol::Dtype dtype = protocol::Dtype::bool_;
  std::int64_t first = 0;  // byte of the array at which `bytes` begins
  protocol::Bytes bytes;
};

}  // namespace gamelan::kernel
