// SPDX-License-Identifier: BSD-3-Clause
// Memory in which clients of this machine lend elements to all ranks (protocol/check.hpp): where it lies
// in this process. Who maps it is process/shared_bell.cpp.
#pragma once
#include <cstddef>

namespace gamelan::engine {

/// The beginning of the memory of the lanes, mapped in this process; nullptr where not every rank of the job
/// maps it. The same on all ranks, but for the address.
const std::byte* lent_memory();
/// To be called by the owner of the mapping while no batch runs.
void set_lent_memory(const std::byte* begin);

}  // namespace gamelan::engine
