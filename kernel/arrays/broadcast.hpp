// SPDX-License-Identifier: BSD-3-Clause
// NumPy's broadcasting for recorded commands: the common extents of operands, views of operands stretched to
// them, and NumPy's errors when operands do not fit.
#pragma once
#include "kernel/arrays/promotion.hpp"
// (Python.h first)
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gamelan::kernel {

/// A shape as NumPy's messages write it: "(3,4)".
std::string shape_text(const PyArrayObject* array);
/// The extents to which all operands broadcast. Raises NumPy's ValueError when there are none.
std::vector<npy_intp> broadcast_extents(const Operands& operands);
/// The number of elements; the largest int64 when it overflows.
std::int64_t product(std::span<const npy_intp> extents);
/// Broadcasts a view to `extents`: axes of extent 1, and axes that are missing in front, get stride 0.
void stretch(protocol::View& view, std::span<const npy_intp> extents);
/// An operand in the form of a command. Adds to `keep` what must live until the command is recorded.
protocol::Operand command_operand(const Operand& operand, protocol::Dtype loop,
                                  std::span<const npy_intp> extents, Ref& keep);
/// Raises ValueError with `text` for a read-only array.
void require_writeable(PyArrayObject* array, const char* text);
/// Raises NumPy's ValueError unless `out` has the shape of a result of `extents`.
void require_same_extents(PyArrayObject* out, std::span<const npy_intp> extents);

}  // namespace gamelan::kernel
