// SPDX-License-Identifier: BSD-3-Clause
// Is one command well formed in itself: operands, dtypes, extents and parameters as its row of ops.def says?
// The codec asks it of everything it decodes, so that the engine need only look at what a command cannot say
// of itself: whether its arrays exist and how large they are (`validate` of view.hpp).
#pragma once
#include "protocol/message.hpp"

namespace gamelan::protocol {

/// No view may reach further than this many bytes: sums of a few addresses then never overflow.
inline constexpr std::int64_t max_view_bytes = std::int64_t{1} << 60;
inline constexpr std::size_t max_operands = 64;

/// True when the op has a loop for this dtype (the `types` column).
bool admits(Types types, Dtype loop);
/// Throws Error{protocol} saying what is wrong. `payloads` are those of the batch.
void check(const Command& command, const std::vector<Bytes>& payloads);
/// The same for the CALL rows whose elements go where data say (check_irregular.cpp).
void check_irregular(const Command& command);
/// The same for the rows that read and write files (check_file.cpp).
void check_file(const Command& command, const std::vector<Bytes>& payloads);

}  // namespace gamelan::protocol
