// SPDX-License-Identifier: BSD-3-Clause
// Which loop an element-wise operation runs and which dtype its result has. NumPy decides: answers of the
// imported NumPy are kept in a table, by op, dtypes and value classes.
#pragma once
#include "kernel/arrays/operand.hpp"
// (Python.h first)
#include <vector>

namespace gamelan::kernel {

using Operands = std::vector<Operand>;

/// NumPy's answer: the loop dtype and the result dtype.
struct Resolution {
  protocol::Dtype loop, result;
  unsigned needs_value;  // bit k: the promotion depends on the value of operand k, a 0-d array on the engines
};

/// The loop for these operands. `out`, when given, is the dtype of the output array. An operand whose value
/// matters is fetched and replaced by its number. Raises NumPy's TypeError or UFuncTypeError.
Resolution resolve(protocol::Op op, Operands& operands, const protocol::Dtype* out);

/// A function of gamelan._promotion: (op name, operands, out dtype or None) -> (loop, result, needs_value) as
/// ints.
extern Hook resolve_hook;

}  // namespace gamelan::kernel
