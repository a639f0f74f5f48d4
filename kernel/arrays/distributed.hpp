// SPDX-License-Identifier: BSD-3-Clause
// Arrays on the engines as this process holds them: a proxy over addresses whose memory must never be
// touched, and the commands that write the array. Every proxy begins at the same reserved address. The id of
// its base tells views apart, so the reserved range need only be as large as one array.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <memory>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// Reserves the addresses of the proxies. Throws PythonError (ImportError).
void reserve_addresses();
/// A new array of this shape on the engines of `session`: base and proxy. The caller records the command that
/// creates it. Raises MemoryError when the engines' memory is too small for it.
Ref new_distributed(const std::shared_ptr<Session>& session, protocol::Dtype dtype, int dims,
                    const npy_intp* extents);
/// A view of `array` with another shape of the same size; null when only a copy can have that shape.
Ref reshape_view(Array* array, int dims, const npy_intp* extents);
/// Where the first element of an array lies in its base, in bytes.
std::int64_t offset_of(const Array* array);
/// The view that the proxy of a distributed array stands for.
protocol::View view_of(const Array* array);
/// Records a command that writes `target`.
void record_write(const Array* target, protocol::Command command);
void record_write(const Array* target, protocol::Command command, protocol::Bytes payload);

}  // namespace gamelan::kernel
