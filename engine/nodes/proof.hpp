// SPDX-License-Identifier: BSD-3-Clause
// How two leaders show each other that they know the job's secret without saying it: each draws a number for
// the occasion, and both answer with a keyed hash of what they know of this connection. A stranger who
// listens learns nothing that holds for another one, and cannot stand between two leaders, as the address
// that was called is among what is hashed. Pure.
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

/// One connection between a child and its parent, as both see it.
struct Meeting {
  std::int32_t child = 0, parent = 0;  ///< nodes
  std::uint32_t address = 0;           ///< of the parent, where it was called; in network byte order
  std::uint16_t port = 0;
  Nonce from_child{}, from_parent{};
};

/// Two, so that nobody's proof can be sent back to him.
enum class Side : std::uint8_t { child, parent };

Proof prove(const Secret& secret, Side side, const Meeting& meeting);
/// Is it what `side` would have said? In constant time.
bool is_proof(const Proof& proof, const Secret& secret, Side side, const Meeting& meeting);

}  // namespace gamelan::engine::nodes
