// SPDX-License-Identifier: BSD-3-Clause
// Single elements of distributed arrays. One is recorded as a copy and costs a round trip when its value is
// wanted; a program that wants the values of many, and writes none of them, has what lies around them brought
// here at once.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
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

/// The element that a 0-d view names, as a value: 0-d and read-only on the engines, or the NumPy scalar when
/// it is known here. May fetch, and then raises what a fetch does.
Ref element_of(Array* view);
/// The value of this 0-d array had to be fetched.
void note_value_wanted(const Array* array);

}  // namespace gamelan::kernel
