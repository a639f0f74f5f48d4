// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/exchange.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace gamelan::engine::distribution {
namespace {

using protocol::Dtype;

/// Some view of an array of float64: steps of either sign, a fixed index or a transposition now and then.
protocol::View random_view(std::mt19937& random, const Shape& extents) {
  auto view = protocol::whole(1, Dtype::float64, extents);
  for (std::size_t k = extents.size(); k-- > 0;) {
    const auto first = static_cast<std::int64_t>(random()) % std::max<std::int64_t>(extents[k], 1);
    const std::int64_t step = random() % 4 ? 1 : 1 + static_cast<std::int64_t>(random() % 3);
    const auto count = 1 + static_cast<std::int64_t>(random()) % ((extents[k] - first + step - 1) / step);
    view.offset += first * view.strides[k];
    if (random() % 6 == 0) {
      view.extents.erase(view.extents.begin() + static_cast<std::ptrdiff_t>(k));
      view.strides.erase(view.strides.begin() + static_cast<std::ptrdiff_t>(k));
    } else if (random() % 4 == 0) {
      view.offset += (count - 1) * step * view.strides[k];
      view.extents[k] = count;
      view.strides[k] *= -step;
    } else {
      view.extents[k] = count;
      view.strides[k] *= step;
    }
  }
  if (view.extents.size() == 2 && random() % 3 == 0) {
    std::swap(view.extents[0], view.extents[1]);
    std::swap(view.strides[0], view.strides[1]);
  }
  return view;
}

/// Bytes of the owner's block that a message carries.
std::set<std::int64_t> elements_of(const Message& message, int owner) {
  std::set<std::int64_t> offsets;
  for (const auto& region : message.regions)
    for_each_run(region, owner, [&](std::int64_t offset, std::int64_t count, std::int64_t stride) {
      for (std::int64_t i = 0; i < count; ++i) offsets.insert(offset + i * stride);
    });
  return offsets;
}

RemoteRead random_read(std::mt19937& random, const Layout& base, const Shape& extents, int ranks) {
  const auto view = random_view(random, extents);
  const auto box = box_of_base(view, extents, Dtype::float64);
  const auto placement = place(base, *box, view.extents, 8);
  auto remote_read = aligned_read(0, placement, default_layout(view.extents, ranks));
  if (random() % 4 == 0) {
    remote_read.readers = {};
    for (const auto extent : view.extents)
      remote_read.readers.axes.push_back({.extent = extent, .template_extent = extent});
    remote_read.readers.is_replicated = true;
  }
  if (random() % 6 == 0) {  // one rank reads it all
    remote_read.readers = {};
    remote_read.readers.grid_size = ranks;
    remote_read.readers.pins = {{ranks, 1, static_cast<int>(random() % static_cast<unsigned>(ranks))}};
    remote_read.axes.assign(view.extents.size(), {});
    return remote_read;
  }
  if (!remote_read.readers.is_replicated &&
      random() % 3 == 0) {  // reduction blocks of elements, perhaps counted from elsewhere
    Shape blocks;
    for (std::size_t k = 0; k < view.extents.size(); ++k) {
      remote_read.axes[k].scale = 1 + static_cast<std::int64_t>(random() % 4);
      remote_read.axes[k].shift = static_cast<std::int64_t>(random() % 5);
      blocks.push_back((view.extents[k] + remote_read.axes[k].shift + remote_read.axes[k].scale - 1) /
                       remote_read.axes[k].scale);
    }
    remote_read.readers = default_layout(blocks, ranks);
  } else if (!remote_read.readers.is_replicated &&
             random() % 3 == 0) {  // who owns another view of the array reads
    auto other = random_view(random, extents);
    if (other.extents.size() == view.extents.size()) {
      const auto placed =
          place(base, *box_of_base(other, extents, Dtype::float64), other.extents, 8).iterations;
      if (placed.extents() == view.extents) remote_read.readers = placed;
    }
  }
  for (auto& axis : remote_read.axes) {
    if (random() % 6 == 0) axis.reader = -1;
    if (random() % 6 == 0) axis.whole = 1 + static_cast<std::int64_t>(random() % 5);
  }
  return remote_read;
}

/// What a rank reads of another one's block, element by element.
std::set<std::int64_t> needed(const std::vector<RemoteRead>& remote_reads, int reader, int owner) {
  std::set<std::int64_t> offsets;
  for (const auto& remote_read : remote_reads) {
    const auto found = remote_read.box_of(reader);
    if (!found) continue;
    const Box& box = *found;
    Shape index;
    for (const auto& interval : box) index.push_back(interval.first);
    while (true) {
      const auto piece = locate(remote_read.placement, index, reader);
      if (piece.owner == owner) offsets.insert(piece.offset);
      std::size_t k = index.size();
      while (k > 0 && ++index[k - 1] == box[k - 1].last) {
        --k;
        index[k] = box[k].first;
      }
      if (k == 0) break;
    }
  }
  return offsets;
}

TEST(Exchange, carries_what_is_read_and_both_ends_agree) {
  const unsigned seed = 20'261'121;
  std::mt19937 random(seed);
  int messages = 0;
  for (int round = 0; round < 600; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 12), per_node = 1 + static_cast<int>(random() % 3);
    Shape extents(1 + random() % 3);
    for (auto& extent : extents) extent = 1 + static_cast<std::int64_t>(random() % 14);
    const Layout base = default_layout(extents, ranks);
    std::vector<RemoteRead> remote_reads;
    for (auto count = 1 + random() % 3; count > 0; --count)
      remote_reads.push_back(random_read(random, base, extents, ranks));
    std::map<std::pair<int, int>, Message> sent, received;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto exchange = exchange_of(remote_reads, rank, ranks,
                                        [&](int other) { return other / per_node == rank / per_node; });
      for (const auto& message : exchange.sends) sent[{rank, message.partner}] = message;
      for (const auto& message : exchange.receives) received[{message.partner, rank}] = message;
    }
    ASSERT_EQ(sent.size(), received.size()) << "round " << round << " seed " << seed;
    for (int owner = 0; owner < ranks; ++owner)
      for (int reader = 0; reader < ranks; ++reader) {
        const auto found = received.find({owner, reader});
        if (base.is_replicated || owner / per_node == reader / per_node) {
          ASSERT_EQ(found, received.end()) << "round " << round;
          continue;
        }
        const auto wanted = needed(remote_reads, reader, owner);
        const auto carried =
            found == received.end() ? std::set<std::int64_t>{} : elements_of(found->second, owner);
        ASSERT_EQ(carried, wanted) << "round " << round << " seed " << seed << ": " << owner << " to "
                                   << reader;
        if (found == received.end()) continue;
        ++messages;
        const auto& other_end = sent.at({owner, reader});
        ASSERT_EQ(other_end.bytes(), found->second.bytes());
        ASSERT_EQ(other_end.regions.size(), found->second.regions.size());
        for (std::size_t r = 0; r < other_end.regions.size(); ++r)
          ASSERT_EQ(other_end.regions[r].ranges, found->second.regions[r].ranges);
      }
  }
  EXPECT_GT(messages, 1000);
}

TEST(Exchange, neighbouring_rows_of_a_stencil_travel_once) {
  const Shape extents{64, 100};
  const Layout base = default_layout(extents, 4);
  std::vector<RemoteRead> remote_reads;
  for (std::int64_t row = -1; row <= 1; ++row)
    for (std::int64_t column = -1; column <= 1; ++column) {
      auto view = protocol::whole(1, Dtype::float64, extents);
      view.offset = (1 + row) * view.strides[0] + (1 + column) * view.strides[1];
      view.extents = {62, 98};
      auto written = protocol::whole(1, Dtype::float64, extents);
      written.offset = written.strides[0] + written.strides[1];
      written.extents = view.extents;
      const auto target = place(base, *box_of_base(written, extents, Dtype::float64), view.extents, 8);
      remote_reads.push_back(aligned_read(
          0, place(base, *box_of_base(view, extents, Dtype::float64), view.extents, 8), target.iterations));
    }
  const auto exchange = exchange_of(remote_reads, 1, 4, [](int rank) { return rank == 1; });
  ASSERT_EQ(exchange.receives.size(), 2u);
  for (const auto& message : exchange.receives) {
    ASSERT_EQ(message.regions.size(), 1u);
    EXPECT_EQ(message.bytes(), 100 * 8);
  }
}

TEST(Exchange, pages_of_what_is_laid_down_are_bounded_and_not_by_much) {
  const unsigned seed = 5;
  std::mt19937 random(seed);
  constexpr std::int64_t page = 4096;
  std::int64_t most_over = 0;
  for (int round = 0; round < 400; ++round) {
    Shape extents(1 + random() % 3);
    for (auto& extent : extents)
      extent = 1 + static_cast<std::int64_t>(random() % (extents.size() == 1   ? 50'000
                                                         : extents.size() == 2 ? 1'000
                                                                               : 60));
    const Layout base = default_layout(extents, 4);
    const int owner = static_cast<int>(random() % 4);
    if (!base.takes_part(owner) || is_empty(base.box(owner))) continue;
    Region region{0, &base, 8, {}};
    for (const auto& interval : base.box(owner)) {
      const auto step = random() % 2 ? 1 : 1 + static_cast<std::int64_t>(random() % 40);
      const auto first = interval.first + static_cast<std::int64_t>(random()) % interval.size();
      region.ranges.push_back(
          {first, 1 + static_cast<std::int64_t>(random()) % ((interval.last - first + step - 1) / step),
           step});
    }
    const auto begin = static_cast<std::int64_t>(random() % 64) * 64;  // where the block lies in its page
    std::set<std::int64_t> pages;
    for_each_run(region, owner, [&](std::int64_t offset, std::int64_t count, std::int64_t stride) {
      for (std::int64_t i = 0; i < count; ++i) pages.insert((begin + offset + i * stride) / page);
    });
    const auto touched = std::ssize(pages) * page, bound = region.page_bytes_at(owner);
    ASSERT_GE(bound, touched) << "round " << round << " seed " << seed;
    most_over = std::max(most_over, (bound - 2 * page) / touched);
    if (extents.size() == 1) {
      ASSERT_LE(bound, touched + 2 * page);
    }
  }
  EXPECT_LE(most_over, 3);
}

}  // namespace
}  // namespace gamelan::engine::distribution
