// SPDX-License-Identifier: BSD-3-Clause
// Turns an operation on Python objects into a NumPy call (small arrays) or a recorded command (distributed
// ones).
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <optional>
#include <span>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// `op(x)` or `op(x, y)` as an operator does it. Returns a new array, a NumPy scalar, or NotImplemented for
/// operands of other libraries.
Ref elementwise(protocol::Op op, std::span<PyObject* const> inputs);
/// The same, written into `out` (an array of ours or NumPy's); returns `out`. Applies NumPy's casting rule
/// same_kind.
Ref elementwise_into(protocol::Op op, std::span<PyObject* const> inputs, PyObject* out);
/// An element-wise operation on the engines, with dtypes decided by the caller. `out` may be null: then the
/// result is a new array of dtype `result`.
Ref apply(protocol::Op op, protocol::Dtype loop, protocol::Dtype result, std::span<PyObject* const> inputs,
          PyObject* out);
/// target[...] = value for a view of a distributed array, with NumPy's broadcasting and (unsafe) casting.
void assign(PyObject* target, PyObject* value);
/// Records a structural command as it is: no broadcasting, no promotion. Numbers become scalars of `loop`.
/// `payload`: the path of a file, where the op has one.
void record(protocol::Op op, protocol::Dtype loop, PyObject* out, bool creates,
            std::span<PyObject* const> inputs, std::vector<std::int64_t> ints,
            std::optional<protocol::Bytes> payload = std::nullopt);

/// What to make of a new result of NumPy: scalars stay as they are, a small array becomes one of ours
/// (adopt), a large one is uploaded.
Ref wrap_result(PyObject* value);

/// Sets NumPy's ufuncs, by op number (None where there is none).
void set_ufuncs(PyObject* list);
/// A function of gamelan._ufuncs._objects: True when an array holds a number below zero. It waits for the
/// array.
extern Hook negative_hook;

}  // namespace gamelan::kernel
