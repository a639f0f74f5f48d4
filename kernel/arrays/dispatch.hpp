// SPDX-License-Identifier: BSD-3-Clause
// From an operation on Python objects to a NumPy call (small arrays) or a recorded command (distributed
// ones).
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <optional>
#include <span>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// `op(x)` or `op(x, y)` as an operator does it: a new array, a NumPy scalar, or NotImplemented for foreign
/// operands.
Ref elementwise(protocol::Op op, std::span<PyObject* const> inputs);
/// The same written into `out` (a gamelan.ndarray); returns `out`. NumPy's casting rule same_kind is
/// enforced.
Ref elementwise_into(protocol::Op op, std::span<PyObject* const> inputs, PyObject* out);
/// Element-wise on the engines with dtypes decided by the caller; `out` may be null (then a new array of
/// `result`).
Ref apply(protocol::Op op, protocol::Dtype loop, protocol::Dtype result, std::span<PyObject* const> inputs,
          PyObject* out);
/// target[...] = value for a view of a distributed array, with NumPy's broadcasting and (unsafe) casting.
void assign(PyObject* target, PyObject* value);
/// A structural command as it stands: no broadcasting, no promotion. Numbers become scalars of `loop`.
/// `payload`: the path of a file, where the op has one.
void record(protocol::Op op, protocol::Dtype loop, PyObject* out, bool creates,
            std::span<PyObject* const> inputs, std::vector<std::int64_t> ints,
            std::optional<protocol::Bytes> payload = std::nullopt);

/// True where nothing is on the engines or would go there, as a quick look at the operands tells: NumPy's own
/// affair.
bool is_plainly_local(std::span<PyObject* const> inputs);
/// True for an array or a scalar of what no engine holds: texts, dates, records, objects, long doubles.
bool is_beyond_engines(PyObject* input);
/// Size from which a result lives on the engines.
void set_threshold(std::int64_t elements);
std::int64_t threshold();
/// Wraps what NumPy computed: scalars stay, small arrays are wrapped, large ones go to the engines.
Ref wrap_result(PyObject* value);
std::uint64_t host_ops();
void count_host_op();

/// numpy ufuncs by op number (None where there is none).
void set_ufuncs(PyObject* list);
/// Of gamelan._ufuncs._objects: True when an array holds a number below zero; waits for it.
extern Hook negative_hook;

}  // namespace gamelan::kernel
