// SPDX-License-Identifier: BSD-3-Clause
// Which floating-point errors NumPy tells of an operation on given elements: where the processor's flags say
// it truly, by the flags; else by looking at operands and results. What is in neither list is never told.
// Used by the attribution of errors only.
#pragma once
#include <cstddef>

#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

/// Kinds (protocol::FloatErrorKind) that the flags tell truly after the loop of an operation, or after a
/// cast.
unsigned reliable_flags(protocol::Op op, protocol::Dtype loop);
unsigned reliable_flags_of_cast(protocol::Dtype from, protocol::Dtype to);
/// Must operands be looked at, because flags say too much?
bool needs_values(protocol::Op op, protocol::Dtype loop);
/// Does its loop raise flags of errors that there are, or none? Else they may be false.
bool has_reliable_flags(protocol::Op op, protocol::Dtype loop);
bool cast_needs_values(protocol::Dtype from, protocol::Dtype to);
/// What operands and results say, for the other kinds. Contiguous; of the dtypes of Loop and Cast
/// (elementwise.hpp).
unsigned errors_of_values(protocol::Op op, protocol::Dtype loop, const void* const* in, const void* out,
                          std::size_t n);
unsigned errors_of_cast_values(protocol::Dtype from, protocol::Dtype to, const void* in, std::size_t n);

}  // namespace gamelan::engine::tiles
