// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/piece_plan.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace gamelan::engine::steps {

using distribution::Box;
using distribution::Shape;

namespace {

std::vector<int> ranks_of_node(int leader, std::span<const int> leaders) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < leaders.size(); ++rank)
    if (leaders[rank] == leader) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

/// The leader of the node that is `steps` nodes behind that of the rank.
int leader_behind(int rank, std::span<const int> leaders, int steps) {
  const std::set<int> nodes(leaders.begin(), leaders.end());
  const auto count = static_cast<int>(nodes.size());
  const auto own =
      static_cast<int>(std::distance(nodes.begin(), nodes.find(leaders[static_cast<std::size_t>(rank)])));
  return *std::next(nodes.begin(), (own + steps + count) % count);
}

void visit_range(const Shape& extents, std::size_t axis, Box& box, std::int64_t first, std::int64_t last,
                 const std::function<void(const Box&)>& visit) {
  if (first >= last) return;
  std::int64_t below = 1;  // elements of an index of this axis
  for (std::size_t k = axis + 1; k < extents.size(); ++k) below *= extents[k];
  const auto part = [&](std::int64_t index, std::int64_t from, std::int64_t to) {
    box[axis] = {index, index + 1};
    visit_range(extents, axis + 1, box, from, to, visit);
  };
  auto begin = first / below;
  const auto end = last / below;
  if (first % below != 0) {
    part(begin, first % below, begin == end ? last % below : below);
    if (begin == end) return;
    ++begin;
  }
  if (begin < end) {
    box[axis] = {begin, end};
    for (std::size_t k = axis + 1; k < extents.size(); ++k) box[k] = {0, extents[k]};
    visit(box);
  }
  if (last % below != 0) part(end, 0, last % below);
}

}  // namespace

Buddies buddies_of(int rank, std::span<const int> leaders) {
  Buddies buddies;
  const auto own = ranks_of_node(leaders[static_cast<std::size_t>(rank)], leaders);
  if (own.size() == leaders.size()) return buddies;
  const auto target_among = [](const std::vector<int>& from, const std::vector<int>& to, int source) {
    const auto place = std::find(from.begin(), from.end(), source) - from.begin();
    return to[static_cast<std::size_t>(place) % to.size()];
  };
  buddies.target = target_among(own, ranks_of_node(leader_behind(rank, leaders, 1), leaders), rank);
  const auto before = ranks_before(rank, leaders);
  for (const int source : before)
    if (target_among(before, own, source) == rank) buddies.sources.push_back(source);
  return buddies;
}

std::vector<int> ranks_before(int rank, std::span<const int> leaders) {
  const int leader = leader_behind(rank, leaders, -1);
  if (leader == leaders[static_cast<std::size_t>(rank)]) return {};
  return ranks_of_node(leader, leaders);
}

std::vector<FoundPiece> chosen_pieces(std::vector<FoundPiece> found, std::int64_t bytes) {
  std::sort(found.begin(), found.end(), [](const FoundPiece& left, const FoundPiece& right) {
    return std::tuple(left.first, -left.bytes, left.rank) < std::tuple(right.first, -right.bytes, right.rank);
  });
  std::vector<FoundPiece> chosen;
  std::int64_t covered = 0;
  for (std::size_t place = 0; place < found.size() && covered < bytes;) {
    auto same = place;
    while (same < found.size() && found[same].first == found[place].first &&
           found[same].bytes == found[place].bytes)
      ++same;
    if (found[place].first == covered && found[place].bytes <= bytes - covered) {
      chosen.push_back(found[place + chosen.size() % (same - place)]);
      covered += chosen.back().bytes;
    }
    place = same;
  }
  return chosen;
}

void for_each_box(const Shape& extents, std::int64_t first, std::int64_t last,
                  const std::function<void(const Box&)>& visit) {
  Box box(extents.size());
  visit_range(extents, 0, box, first, last, visit);
}

}  // namespace gamelan::engine::steps
