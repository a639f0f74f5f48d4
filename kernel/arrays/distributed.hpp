// SPDX-License-Identifier: BSD-3-Clause
// Arrays on the engines as this process holds them: a proxy over addresses that nobody may touch, and the
// commands that write them. Every proxy begins at the same reserved address: a view is told apart by its
// base's id, so the reservation need only be as large as one array.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <memory>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// Reserves the addresses of the proxies. Throws PythonError (ImportError).
void reserve_addresses();
/// A new array of that shape on the engines of `session`: base and proxy; the caller records what creates it.
/// Raises MemoryError when no arrangement of the engines' memory could hold it.
Ref new_distributed(const std::shared_ptr<Session>& session, protocol::Dtype dtype, int dims,
                    const npy_intp* extents);
/// A view of `array` with another shape of the same size; null when only a copy has that shape.
Ref reshape_view(Array* array, int dims, const npy_intp* extents);
/// What the proxy of a distributed array names.
protocol::View view_of(const Array* array);
/// Records a command that writes `target`.
void record_write(const Array* target, protocol::Command command);
void record_write(const Array* target, protocol::Command command, protocol::Bytes payload);

}  // namespace gamelan::kernel
