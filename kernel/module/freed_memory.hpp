// SPDX-License-Identifier: BSD-3-Clause
// What the C library does with the memory of small arrays that have died.
#pragma once

namespace gamelan::kernel {

/// From now on up to 128 MiB of freed memory stay with this process, and arrays of up to 32 MiB come from it.
/// By default glibc gives the memory of an array of some hundred kilobytes back to the system, and gets it
/// anew for the next one: the page faults cost more than NumPy's arithmetic. Does nothing when the
/// environment says how memory is allocated (MALLOC_..., GLIBC_TUNABLES, another allocator by LD_PRELOAD).
void keep_freed_memory();

}  // namespace gamelan::kernel
