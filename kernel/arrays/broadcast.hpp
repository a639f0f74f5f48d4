// SPDX-License-Identifier: BSD-3-Clause
// NumPy's broadcasting for recorded commands: the common extents of operands, operands stretched to them in
// commands, and NumPy's errors when they do not fit.
#pragma once
#include "kernel/arrays/promotion.hpp"
// (Python.h first)
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gamelan::kernel {

/// "(3,4)" as NumPy's messages write a shape.
std::string shape_text(const PyArrayObject* array);
/// Extents that all operands broadcast to; raises NumPy's ValueError when there are none.
std::vector<npy_intp> broadcast_extents(const Operands& operands);
/// The number of elements; saturates.
std::int64_t product(std::span<const npy_intp> extents);
/// Axes of extent 1 or missing in front get stride 0.
void stretch(protocol::View& view, std::span<const npy_intp> extents);
/// An operand as a command holds it; `keep` holds what must live until the command is recorded.
protocol::Operand command_operand(const Operand& operand, protocol::Dtype loop,
                                  std::span<const npy_intp> extents, Ref& keep);
/// Raises ValueError with `text` for a read-only array.
void require_writeable(PyArrayObject* array, const char* text);
/// Raises NumPy's ValueError unless an output of the shape of `out` can take a result of `extents`.
void require_same_extents(PyArrayObject* out, std::span<const npy_intp> extents);

}  // namespace gamelan::kernel
