// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/allocator.hpp"

#include <algorithm>
#include <bit>

#include "engine/assert.hpp"

namespace gamelan::engine::distribution {

namespace {

constexpr std::size_t large_bytes = 8 * page_bytes;  // from here on one eighth of the size is at least a page
constexpr std::size_t huge_bytes =
    64 * page_bytes;  // and from here on a 64th, because an eighth would waste too much memory
// Free ranges that are just long enough may be too short after alignment. After so many of them a longer one
// is taken.
constexpr int tight_tries = 8;

constexpr std::size_t alignment(std::size_t bytes) {
  return bytes >= large_bytes ? page_bytes : granule_bytes;
}

}  // namespace

Allocator::Allocator(std::size_t capacity) : capacity_(round_down(capacity, page_bytes)) {
  if (capacity_ == 0) return;
  free_.assign({0, capacity_, 0});
  index({0, capacity_, 0});
}

std::size_t Allocator::class_bytes(std::size_t bytes) {
  bytes = std::max(bytes, granule_bytes);
  const std::size_t classes = bytes > huge_bytes ? 64 : 8;
  return round_up(bytes, std::max(alignment(bytes), std::bit_floor(bytes - 1) / classes));
}

std::optional<Allocator::Block> Allocator::allocate(std::size_t bytes) {
  if (bytes > capacity_) return std::nullopt;  // also keeps the rounding from overflowing
  const std::size_t exact = round_up(std::max(bytes, granule_bytes), alignment(bytes));
  for (const std::size_t size : {class_bytes(bytes), exact}) {
    if (const auto offset = find(size)) return take(*offset, size);
  }
  return std::nullopt;
}

std::optional<std::size_t> Allocator::place_in(std::size_t first, std::size_t available,
                                               std::size_t bytes) const {
  // Large blocks are cut from the low end of a range, small ones from the high end, so that a small block
  // that lives long does not split the room of the large ones.
  if (bytes < large_bytes) return first + available - bytes;
  const std::size_t aligned = round_up(first, page_bytes);
  if (aligned + bytes > first + available) return std::nullopt;
  return aligned;
}

std::optional<std::size_t> Allocator::find(std::size_t bytes) const {
  const auto shortest = [this](std::size_t wanted) {
    return std::lower_bound(by_bytes_.begin(), by_bytes_.end(), std::pair{wanted, std::size_t{0}});
  };
  auto range = shortest(bytes);
  for (int tries = 0; range != by_bytes_.end() && tries < tight_tries; ++tries, ++range) {
    if (const auto offset = place_in(range->second, range->first, bytes)) return offset;
  }
  const auto surely = shortest(bytes + alignment(bytes) - granule_bytes);
  if (surely != by_bytes_.end()) return place_in(surely->second, surely->first, bytes);
  for (; range != by_bytes_.end(); ++range) {  // before giving up: every range that is just long enough
    if (const auto offset = place_in(range->second, range->first, bytes)) return offset;
  }
  return std::nullopt;
}

Allocator::Block Allocator::take(std::size_t offset, std::size_t bytes) {
  const Range range = free_.at(offset).value();
  forget(range);
  free_.erase(offset, offset + bytes);
  index({range.first, offset, 0});
  index({offset + bytes, range.last, 0});

  Block block{offset, bytes, 0};
  for (const Range& stamped : stamps_.within(offset, offset + bytes)) {
    block.stamp = std::max(block.stamp, stamped.value);
  }
  stamps_.erase(offset, offset + bytes);

  const std::size_t first_page = round_down(offset, page_bytes),
                    last_page = round_up(offset + bytes, page_bytes);
  for (const Range& cold : committed_.missing(first_page, last_page)) {
    uncommitted_.push_back({cold.first, cold.last - cold.first, 0});
    committed_.assign(cold);
  }
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
  return block;
}

void Allocator::release(const Block& block) {
  const std::size_t last = block.offset + block.bytes;
  const bool was_taken = block.bytes > 0 && last <= capacity_ &&
                         free_.missing(block.offset, last) == std::vector<Range>{{block.offset, last, 0}};
  GAMELAN_ASSERT(cheap, was_taken, "release of memory that is already free");
  if (block.stamp > 0) stamps_.assign({block.offset, last, block.stamp});
  if (block.offset > 0) forget(free_.at(block.offset - 1).value_or(Range{}));
  forget(free_.at(last).value_or(Range{}));
  free_.assign({block.offset, last, 0});  // merges with both neighbours
  index(free_.at(block.offset).value());
  in_use_ -= block.bytes;
}

std::vector<Allocator::Block> Allocator::take_idle() {
  std::vector<Block> idle;
  for (const Range& range : free_.all()) {
    const std::size_t first_page = round_up(range.first, page_bytes),
                      last_page = round_down(range.last, page_bytes);
    if (first_page >= last_page) continue;
    for (const Range& pages : committed_.within(first_page, last_page)) {
      idle.push_back({pages.first, pages.last - pages.first, 0});
    }
    committed_.erase(first_page, last_page);
  }
  return idle;
}

void Allocator::remember_committed(std::span<const Block> pages) {
  for (const Block& block : pages) committed_.assign({block.offset, block.offset + block.bytes, 0});
}

void Allocator::forget_committed(std::span<const Block> pages) {
  for (const Block& block : pages) committed_.erase(block.offset, block.offset + block.bytes);
}

void Allocator::index(const Range& range) {
  if (range.first >= range.last) return;
  const std::pair entry{range.last - range.first, range.first};
  by_bytes_.insert(std::lower_bound(by_bytes_.begin(), by_bytes_.end(), entry), entry);
}

void Allocator::forget(const Range& range) {
  if (range.first >= range.last) return;
  by_bytes_.erase(
      std::lower_bound(by_bytes_.begin(), by_bytes_.end(), std::pair{range.last - range.first, range.first}));
}

}  // namespace gamelan::engine::distribution
