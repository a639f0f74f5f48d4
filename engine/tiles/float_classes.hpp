// SPDX-License-Identifier: BSD-3-Clause
// Which floating-point errors NumPy reports for an operation on given elements. Where the processor's flags
// are reliable, they decide; else operands and results do. Errors that neither can tell are never reported.
#pragma once
#include <cstddef>

#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

/// The kinds (protocol::FloatErrorKind) for which the flags are reliable after the loop of an operation, or
/// after a cast.
unsigned reliable_flags(protocol::Op op, protocol::Dtype loop);
unsigned reliable_flags_of_cast(protocol::Dtype from, protocol::Dtype to);
/// True when operands must be looked at, because the flags report too much.
bool needs_values(protocol::Op op, protocol::Dtype loop);
/// True when the loop raises flags only for errors that happened.
bool has_reliable_flags(protocol::Op op, protocol::Dtype loop);
bool cast_needs_values(protocol::Dtype from, protocol::Dtype to);
/// The errors of the other kinds, found from operands and results. These are contiguous, of the dtypes of
/// Loop and Cast (elementwise.hpp).
unsigned errors_of_values(protocol::Op op, protocol::Dtype loop, const void* const* in, const void* out,
                          std::size_t n);
unsigned errors_of_cast_values(protocol::Dtype from, protocol::Dtype to, const void* in, std::size_t n);

}  // namespace gamelan::engine::tiles
