// SPDX-License-Identifier: BSD-3-Clause
// Zarr, format version 2: every rank unpacks the chunks that its block touches, one file each, and takes what
// is its own. A chunk without a file holds the array's filling.
#include <algorithm>
#include <cstring>

#include "engine/steps/files/chunk_codec.hpp"
#include "engine/steps/files/file.hpp"
#include "engine/steps/files/file_elements.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

/// Indices of one axis of the block that lie in one chunk: the first, how many, and where in the chunk the
/// first is.
struct Overlap {
  std::int64_t first, count, inside;
};

class ChunkReader {
 public:
  ChunkReader(const StepContext& context, const plan::ReadZarr& step, distribution::Box mine)
      : context_(context),
        step_(step),
        mine_(std::move(mine)),
        item_(static_cast<std::int64_t>(protocol::size_of(step.dtype))),
        block_(context.own_block(step.out)),
        block_strides_(
            protocol::contiguous_strides(distribution::extents_of(mine_), protocol::size_of(step.dtype))),
        chunk_strides_(strides_in_chunk()),
        overlaps_(mine_.size()),
        number_(mine_.size()) {
    const auto& folder = context.payload(step.payload);
    folder_.assign(reinterpret_cast<const char*>(folder.data()), folder.size());
    std::int64_t bytes = item_;
    for (const auto extent : step.chunks.extents) bytes *= extent;
    chunk_.resize(static_cast<std::size_t>(bytes));
  }

  void read() {
    File(bytes_of(folder_ + "/.zarray"), File::Access::read)
        .close();  // a folder that this node cannot read must not count as an empty array
    visit(0);
  }

 private:
  static protocol::Bytes bytes_of(const std::string& text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }

  Shape strides_in_chunk() const {
    if (!step_.chunks.is_fortran)
      return protocol::contiguous_strides(step_.chunks.extents, protocol::size_of(step_.dtype));
    Shape strides;
    std::int64_t bytes = item_;
    for (const auto extent : step_.chunks.extents) {
      strides.push_back(bytes);
      bytes *= extent;
    }
    return strides;
  }

  /// Every chunk along this axis that has indices of ours, for chosen chunks of the axes before.
  void visit(std::size_t axis) {
    if (axis == mine_.size()) return read_chunk();
    const auto extent = step_.chunks.extents[axis], start = step_.part.start[axis],
               step = step_.part.step[axis];
    for (auto at = mine_[axis].first; at < mine_[axis].last;) {
      const auto place = start + at * step, chunk = place / extent;
      const auto in_chunk = ((chunk + 1) * extent - place + step - 1) / step;
      const auto count = std::min(in_chunk, mine_[axis].last - at);
      overlaps_[axis] = {at - mine_[axis].first, count, place - chunk * extent};
      number_[axis] = chunk;
      visit(axis + 1);
      at += count;
    }
  }

  void read_chunk() {
    std::string path = folder_;
    for (std::size_t k = 0; k < number_.size(); ++k)
      path += (k == 0 || step_.chunks.is_nested ? "/" : ".") + std::to_string(number_[k]);
    std::byte* to = block_;
    const std::byte* from = chunk_.data();
    for (std::size_t k = 0; k < overlaps_.size(); ++k) {
      to += overlaps_[k].first * block_strides_[k];
      from += overlaps_[k].inside * chunk_strides_[k];
    }
    if (unpack_file(path))
      copy(0, to, from);
    else
      fill(0, to);
    context_.progress();
  }

  /// Is there such a file?
  bool unpack_file(const std::string& path) {
    const auto file = File::find(bytes_of(path));
    if (!file) return false;
    packed_.resize(static_cast<std::size_t>(file->size()));
    file->read(packed_, 0);
    unpack(step_.chunks.codec, packed_, chunk_);
    adopt(step_.dtype, step_.chunks.is_swapped, chunk_.data(),
          static_cast<std::int64_t>(chunk_.size()) / item_);
    return true;
  }

  void copy(std::size_t axis, std::byte* to, const std::byte* from) const {
    const auto count = overlaps_[axis].count, stride = chunk_strides_[axis] * step_.part.step[axis];
    const bool is_last = axis + 1 == overlaps_.size();
    if (is_last && stride == item_) {
      std::memcpy(to, from, static_cast<std::size_t>(count * item_));
      return;
    }
    for (std::int64_t i = 0; i < count; ++i, to += block_strides_[axis], from += stride) {
      if (is_last)
        std::memcpy(to, from, static_cast<std::size_t>(item_));
      else
        copy(axis + 1, to, from);
    }
  }

  void fill(std::size_t axis, std::byte* to) const {
    const bool is_last = axis + 1 == overlaps_.size();
    for (std::int64_t i = 0; i < overlaps_[axis].count; ++i, to += block_strides_[axis]) {
      if (is_last)
        std::memcpy(to, step_.filling.bytes.data(), static_cast<std::size_t>(item_));
      else
        fill(axis + 1, to);
    }
  }

  const StepContext& context_;
  const plan::ReadZarr& step_;
  distribution::Box mine_;
  std::int64_t item_;
  std::byte* block_;
  Shape block_strides_, chunk_strides_;
  std::vector<Overlap> overlaps_;
  Shape number_;
  std::string folder_;
  protocol::Bytes packed_, chunk_;
};

}  // namespace

void run(const StepContext& context, const plan::ReadZarr& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (!distribution::is_empty(mine)) ChunkReader(context, step, mine).read();
}

}  // namespace gamelan::engine::steps
