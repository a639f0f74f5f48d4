// SPDX-License-Identifier: BSD-3-Clause
// Settings of the connections between nodes. Data only. main fills it from the options; tests choose their
// own.
#pragma once

namespace gamelan::engine::nodes {

struct Settings {
  int fanout = 8;               ///< children of a node in the tree: four levels reach 4,681 nodes
  double silence_limit_s = 10;  ///< then another node counts as lost; TCP gets over a cut of 5 s
  double start_limit_s =
      20;  ///< for all connections at the start: TCP says a lost first packet again after 1, 3, 7 and 15 s
};

}  // namespace gamelan::engine::nodes
