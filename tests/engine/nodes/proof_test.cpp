// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/proof.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <iterator>
#include <utility>

namespace gamelan::engine::nodes {
namespace {

TEST(Proof, holds_for_one_meeting_one_side_and_one_secret) {
  const Secret secret = draw();
  const Meeting meeting{5, 2, 0x0a00000a, 4711, draw(), draw()};
  const Proof proof = prove(secret, Side::child, meeting);
  EXPECT_TRUE(is_proof(proof, secret, Side::child, meeting));
  EXPECT_FALSE(is_proof(proof, secret, Side::parent, meeting)) << "sent back to him who said it";
  EXPECT_FALSE(is_proof(proof, draw(), Side::child, meeting));
  const std::function<void(Meeting&)> changes[] = {[](Meeting& m) { m.child = 6; },
                                                   [](Meeting& m) { m.parent = 3; },
                                                   [](Meeting& m) { m.address += 1; },
                                                   [](Meeting& m) { m.port = 4712; },
                                                   [](Meeting& m) { std::swap(m.from_child, m.from_parent); },
                                                   [](Meeting& m) { m.from_parent[31] ^= std::byte{1}; }};
  for (std::size_t k = 0; k < std::size(changes); ++k) {
    Meeting other = meeting;
    changes[k](other);
    EXPECT_FALSE(is_proof(proof, secret, Side::child, other)) << "change " << k;
  }
  for (std::size_t k = 0; k < proof.size(); ++k) {
    Proof other = proof;
    other[k] ^= std::byte{1};
    EXPECT_FALSE(is_proof(other, secret, Side::child, meeting)) << "byte " << k;
  }
}

TEST(Proof, what_is_drawn_is_never_the_same) {
  const auto first = draw();
  for (int k = 0; k < 100; ++k) EXPECT_NE(draw(), first);
}

}  // namespace
}  // namespace gamelan::engine::nodes
