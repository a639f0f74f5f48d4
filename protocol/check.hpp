// SPDX-License-Identifier: BSD-3-Clause
// Checks that one command is well formed: operands, dtypes, extents and parameters must be as its row of
// ops.def says. The codec calls it for every command that it decodes. What a command cannot tell by itself is
// left to the engine: whether its arrays exist and how large they are (`validate` of view.hpp).
#pragma once
#include <optional>
#include <vector>

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

// Elements of a large constant are lent where client and ranks share memory (lane.hpp): they stay in the
// client's lane, and each rank reads there what it owns. In the place of the elements the payload of the
// command says where they lie.

/// A payload of fewer bytes travels in its message.
inline constexpr std::size_t least_lent_bytes = std::size_t{1} << 16;
/// Lent elements begin at a multiple of so many bytes, whatever their dtype.
inline constexpr std::size_t lent_alignment = 64;

/// A place in the memory of the lanes.
struct LentBytes {
  std::uint64_t offset = 0;  ///< from the beginning of the memory
  std::uint64_t bytes = 0;
};

/// The numbers of the payloads that may be lent: large elements of constants, which nothing else reads. Bools
/// are what the client says: nobody asks whether all are 0 or 1, as for an array that is written as bytes.
std::vector<std::size_t> payloads_to_lend(const Batch& batch);
/// The payload that stands for elements at this place.
Bytes lent_payload(const LentBytes& place);
/// The place that the payload of a constant of so many elements names; nullopt where it has the elements
/// themselves, or too few bytes for either. Whether the place is one of the lanes' is not known here.
std::optional<LentBytes> lent_by(const Bytes& payload, std::size_t elements, Dtype dtype);

}  // namespace gamelan::protocol
