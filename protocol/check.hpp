// SPDX-License-Identifier: BSD-3-Clause
// Checks that one command is well formed: operands, dtypes, extents and parameters must be as its row of
// ops.def says. The codec calls it for every command that it decodes. What a command cannot tell by itself is
// left to the engine: whether its arrays exist and how large they are (`validate` of view.hpp).
#pragma once
#include "protocol/message.hpp"

namespace gamelan::protocol {

/// The largest byte offset that a view may reach. Sums of a few such numbers never overflow.
inline constexpr std::int64_t max_view_bytes = std::int64_t{1} << 60;
inline constexpr std::size_t max_operands = 64;

/// True when the op has a loop for this dtype (the `types` column).
bool admits(Types types, Dtype loop);
/// Throws Error{protocol} that says what is wrong. `payloads` are those of the batch. `is_planned_only`: of
/// Batch::explain, in which the elements of `constant` may be left out.
void check(const Command& command, const std::vector<Bytes>& payloads, bool is_planned_only = false);
/// The same for the CALL rows whose elements go to places that only data say (check_irregular.cpp).
void check_irregular(const Command& command);
/// The same for the rows that read and write files (check_file.cpp).
void check_file(const Command& command, const std::vector<Bytes>& payloads);

}  // namespace gamelan::protocol
