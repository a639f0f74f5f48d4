// SPDX-License-Identifier: BSD-3-Clause
// How a leader connects with its neighbours in the tree, after all have learnt where the others listen. It
// calls its parent at all its addresses and accepts its children at the same time, so a slow host delays no
// other. Both sides of a connection prove that they know the secret (proof.hpp); strangers and slow peers
// keep nobody waiting. Knows sockets, not MPI.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/nodes/descriptor.hpp"
#include "engine/nodes/link.hpp"
#include "engine/nodes/proof.hpp"
#include "engine/nodes/settings.hpp"

namespace gamelan::engine::nodes {

/// Where a leader listens. Leaders send it to each other as it is.
struct LeaderInfo {
  std::array<char, 64> host{};
  std::array<std::uint32_t, 12> addresses{};  ///< IPv4, network order; 0 ends
  std::uint16_t port = 0;                     ///< 0: it has no children
  std::array<char, 128> problem{};            ///< why it cannot take part; empty when it can
};

/// What one leader knows of all leaders.
struct LeaderTable {
  int node = 0;
  std::vector<LeaderInfo> rows;  ///< of all nodes
  Secret secret{};               ///< of the job

  int parent(int fanout) const { return (node - 1) / fanout; }  ///< not for node 0
};

/// The connections of a leader in the tree, after the handshake.
struct Neighbours {
  std::unique_ptr<Link> parent;  ///< null at the root
  std::vector<std::unique_ptr<Link>> children;
};

/// A socket that listens, and its port.
struct ListeningSocket {
  Descriptor socket;
  std::uint16_t port = 0;
};
/// Listens on a port of the system's choice, on all interfaces. Throws Error{os}.
ListeningSocket listen_for_children();

/// Connects a leader with its neighbours; returns when all connections exist. `listening`: empty on a leader
/// without children. Throws Error{os} that says which hosts cannot reach each other.
Neighbours shake_hands(const LeaderTable& leaders, const Settings& settings,
                       const ListeningSocket& listening);

}  // namespace gamelan::engine::nodes
