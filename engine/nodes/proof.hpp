// SPDX-License-Identifier: BSD-3-Clause
// How two leaders prove to each other that they know the job's secret without sending it. Each draws a random
// number for this connection, and both answer with a keyed hash of what they know of the connection. A
// program that listens learns nothing that it could use for another connection. It cannot stand between two
// leaders either, because the address that was called is part of the hash. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace gamelan::engine::nodes {

using Secret = std::array<std::byte, 32>;
using Nonce = std::array<std::byte, 32>;
using Proof = std::array<std::byte, 32>;

/// Fresh random bytes, for a secret or a nonce. Throws Error{os}.
std::array<std::byte, 32> draw();

/// One connection between a child and its parent, with the facts that both know.
struct Meeting {
  std::int32_t child = 0, parent = 0;  ///< nodes
  std::uint32_t address = 0;           ///< of the parent, where it was called; in network byte order
  std::uint16_t port = 0;
  Nonce from_child{}, from_parent{};
};

/// Each side proves something else, so that no proof can be sent back to its author.
enum class Side : std::uint8_t { child, parent };

Proof prove(const Secret& secret, Side side, const Meeting& meeting);
/// True when `proof` is what `side` would have sent. Takes constant time.
bool is_proof(const Proof& proof, const Secret& secret, Side side, const Meeting& meeting);

}  // namespace gamelan::engine::nodes
