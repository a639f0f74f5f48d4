// SPDX-License-Identifier: BSD-3-Clause
// Files: every rank reads its own block, and writes its share, in requests of some megabytes. Rows that are
// short in the file are read together with what lies between them. What is read is summed while it is in
// cache. What a rank writes is contiguous, because the plan has divided it so.
#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/files/behind.hpp"
#include "engine/steps/files/box_sum.hpp"
#include "engine/steps/files/checksum.hpp"
#include "engine/steps/files/file.hpp"
#include "engine/steps/files/file_elements.hpp"
#include "engine/steps/files/piece_files.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

constexpr std::int64_t request_bytes =
    4 << 20;  // and the size of the buffer, which stays in the cache that ranks share
constexpr std::int64_t most_waste = 16;  // bytes read for each byte wanted; above it single elements are read

/// What this rank has read last, and in which step: the elements are those while no later step writes them.
struct LastRead {
  std::uint64_t step = 0;
  std::int64_t sum = 0, bytes = 0;  // no bytes: they were not summed
};
LastRead last_read;

/// Reads one block, axis by axis; its memory is contiguous.
class Reader {
 public:
  Reader(const StepContext& context, const plan::ReadFile& step, const distribution::Box& box)
      : context_(context),
        step_(step),
        file_(context.payload(step.payload), File::Access::read),
        extents_(distribution::extents_of(box)),
        item_(static_cast<std::int64_t>(protocol::size_of(step.dtype))),
        sum_(box, context.info(step.out).extents, item_) {}

  void read(std::byte* memory, std::int64_t offset) {
    read(extents_, 0, memory, offset);
    last_read = {context_.step()};
    if (!sum_.is_quick()) return;
    last_read.sum = sum_.part();
    last_read.bytes = protocol::element_count(extents_) * item_;
  }

 private:
  /// The box of these extents, from an axis on.
  void read(Shape& extents, std::size_t axis, std::byte* memory, std::int64_t offset) {
    const auto dims = extents.size();
    std::int64_t count = 1, span = item_;
    for (std::size_t k = axis; k < dims; ++k) {
      count *= extents[k];
      span += (extents[k] - 1) * step_.strides[k];
    }
    const bool is_dense = span == count * item_ && is_contiguous(extents, axis);
    if (is_dense) return read_row(memory, offset, count);
    if (span <= request_bytes && span <= most_waste * count * item_)
      return pick(extents, axis, memory, offset, span, count);
    if (axis == dims) return read_row(memory, offset, 1);
    const auto stride = step_.strides[axis];
    const auto below = count / extents[axis] * item_;  // bytes of memory per index
    const auto all = extents[axis];
    const auto row_span = span - (all - 1) * stride;
    auto together =
        std::clamp<std::int64_t>((request_bytes - row_span) / std::max<std::int64_t>(stride, 1), 1, all);
    if ((together - 1) * stride + row_span > most_waste * together * below) together = 1;
    for (std::int64_t first = 0; first < all; first += together) {
      extents[axis] = std::min(together, all - first);
      read(extents, extents[axis] == 1 ? axis + 1 : axis, memory + first * below, offset + first * stride);
    }
    extents[axis] = all;
  }

  bool is_contiguous(const Shape& extents, std::size_t axis) const {
    std::int64_t expected = item_;
    for (std::size_t k = extents.size(); k-- > axis;) {
      if (extents[k] != 1 && step_.strides[k] != expected) return false;
      expected *= extents[k];
    }
    return true;
  }

  void read_row(std::byte* memory, std::int64_t offset, std::int64_t count) {
    for (std::int64_t done = 0; done < count; done += request_bytes / item_) {
      const auto some = std::min(count - done, request_bytes / item_);
      file_.read({memory + done * item_, static_cast<std::size_t>(some * item_)}, offset + done * item_);
      take(memory + done * item_, some);
    }
  }

  /// Reads all from the first byte to the last, and copies what is wanted.
  void pick(const Shape& extents, std::size_t axis, std::byte* memory, std::int64_t offset, std::int64_t span,
            std::int64_t count) {
    buffer_.resize(static_cast<std::size_t>(request_bytes));
    file_.read({buffer_.data(), static_cast<std::size_t>(span)}, offset);
    const Shape box(extents.begin() + static_cast<std::ptrdiff_t>(axis), extents.end());
    const Shape strides(step_.strides.begin() + static_cast<std::ptrdiff_t>(axis), step_.strides.end());
    copy_bytes(box, strides, memory);
    take(memory, count);
  }

  /// The next elements have come, in C order.
  void take(std::byte* memory, std::int64_t count) {
    adopt(step_.dtype, step_.is_swapped, memory, count);
    if (sum_.is_quick()) sum_.add({memory, static_cast<std::size_t>(count * item_)});
    context_.progress();
  }

  void copy_bytes(const Shape& box, const Shape& strides, std::byte* memory) const {
    const auto rows = box.size() - 1;
    const auto row = box.back();
    Shape index(rows, 0);
    const std::byte* from = buffer_.data();
    while (true) {
      if (strides.back() == item_ || row == 1)
        std::memcpy(memory, from, static_cast<std::size_t>(row * item_));
      else
        for (std::int64_t i = 0; i < row; ++i)
          std::memcpy(memory + i * item_, from + i * strides.back(), static_cast<std::size_t>(item_));
      memory += row * item_;
      std::size_t k = rows;
      while (k > 0) {
        from += strides[k - 1];
        if (++index[k - 1] < box[k - 1]) break;
        from -= box[k - 1] * strides[k - 1];
        index[--k] = 0;
      }
      if (k == 0) return;
    }
  }

  const StepContext& context_;
  const plan::ReadFile& step_;
  File file_;
  Shape extents_;
  std::int64_t item_;
  BoxSum sum_;
  protocol::Bytes buffer_;
};

/// Writes one rank's share, in the order of the file, or as a piece of its own. Without a path nothing is
/// written: only the checksum is wanted.
class Writer {
 public:
  Writer(const StepContext& context, const plan::WriteFile& step)
      : context_(context),
        step_(step),
        extents_(step.shares.extents()),
        item_(static_cast<std::int64_t>(protocol::size_of(step.dtype))),
        strides_(protocol::contiguous_strides(extents_, protocol::size_of(step.dtype))) {
    const auto& path = context.payload(step.payload);
    if (step.is_in_pieces) return;
    is_behind_ = std::find(path.begin(), path.end(), std::byte{0}) != path.end();  // "path\0later"
    if (!path.empty()) file_.emplace(path, File::Access::write);
  }

  void write(distribution::Box box) {
    if (step_.is_in_pieces) {
      piece_first_ = offset_of(box);
      piece_.emplace(protocol::piece_name(context_.payload(step_.payload)), context_.rank(), false);
    }
    if (is_behind_ && file_) keep(box);
    write(box, 0);
  }
  void finish() {
    if (piece_) piece_->finish({piece_first_, bytes_, sum_, context_.rank(), false});
    if (!file_) return;
    if (copy_ != nullptr)
      return WritesBehind::of_process().add(std::move(*file_), std::move(copy_), copy_bytes_, copy_offset_);
    if (context_.ghost_exchange()) file_->synchronise();  // rank 0 cannot flush what other nodes wrote
    file_->close();
  }
  std::uint32_t sum() const { return sum_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  /// Has the share copied, to be written later, where memory allows it.
  void keep(const distribution::Box& box) {
    copy_bytes_ = static_cast<std::size_t>(distribution::volume(box) * item_);
    copy_offset_ = offset_of(box);
    copy_ = WritesBehind::of_process().buffer(copy_bytes_, static_cast<int>(context_.near_ranks().size()));
  }

  /// Where the first element of the box stands in the file.
  std::int64_t offset_of(const distribution::Box& box) const {
    std::int64_t offset = step_.offset;
    for (std::size_t k = 0; k < box.size(); ++k) offset += box[k].first * strides_[k];
    return offset;
  }

  /// One index of every axis before `axis`.
  void write(distribution::Box& box, std::size_t axis) {
    bool is_row = true;  // the elements of a few indices of this axis are contiguous
    for (std::size_t k = axis + 1; k < box.size(); ++k) is_row = is_row && box[k].size() == extents_[k];
    const auto below =
        distribution::volume({box.begin() + static_cast<std::ptrdiff_t>(axis) + 1, box.end()}) * item_;
    const bool is_last = axis + 1 == box.size();
    const auto together = is_row ? std::max<std::int64_t>(1, request_bytes / below) : 1;
    const bool is_small = is_row && (below <= request_bytes || is_last);
    const auto all = box[axis];
    for (std::int64_t first = all.first; first < all.last; first += together) {
      box[axis] = {first, std::min(first + together, all.last)};
      is_small ? write_row(box) : write(box, axis + 1);
    }
    box[axis] = all;
  }

  void write_row(const distribution::Box& box) {
    const std::int64_t offset = offset_of(box);
    const auto size = static_cast<std::size_t>(distribution::volume(box) * item_);
    const std::byte* bytes = in_place(box);
    if (bytes == nullptr) {
      if (copy_ == nullptr) buffer_.resize(std::max(buffer_.size(), size));
      std::byte* target = copy_ == nullptr ? buffer_.data() : copy_.get() + (offset - copy_offset_);
      copy_operand(
          context_, step_.input, step_.dtype, step_.dtype, box, target,
          protocol::contiguous_strides(distribution::extents_of(box), protocol::size_of(step_.dtype)));
      bytes = target;
    } else if (copy_ != nullptr) {
      std::memcpy(copy_.get() + (offset - copy_offset_), bytes, size);
    }
    if (file_ && copy_ == nullptr) file_->write({bytes, size}, offset);
    if (piece_) piece_->write({bytes, size}, offset - piece_first_);
    if (step_.has_checksum) sum_ = checksum(sum_, {bytes, size});
    bytes_ += static_cast<std::int64_t>(size);
    context_.progress();
  }

  /// The address at which this rank has the whole box in the order of the file; null when there is none.
  const std::byte* in_place(const distribution::Box& box) const {
    const auto& own = step_.input.placement.iterations;
    if (!own.takes_part(context_.rank()) || distribution::intersection(own.box(context_.rank()), box) != box)
      return nullptr;
    Shape first;
    for (const auto& interval : box) first.push_back(interval.first);
    const auto piece = distribution::locate(step_.input.placement, first, context_.rank());
    std::int64_t expected = item_;
    for (std::size_t k = box.size(); k-- > 0;) {
      if (box[k].size() != 1 && piece.strides[k] != expected) return nullptr;
      expected *= box[k].size();
    }
    return context_.address(step_.input, piece);
  }

  const StepContext& context_;
  const plan::WriteFile& step_;
  std::optional<File> file_;
  std::optional<NewPiece> piece_;
  std::int64_t piece_first_ = 0;  // byte of the array
  Shape extents_;
  std::int64_t item_;
  Shape strides_;
  protocol::Bytes buffer_;
  bool is_behind_ = false;
  WritesBehind::Buffer
      copy_;  // of the whole share, which is contiguous in the file; null: it is written at once
  std::size_t copy_bytes_ = 0;
  std::int64_t copy_offset_ = 0;
  std::uint32_t sum_ = 0;  // CRC-32, as zip archives have it
  std::int64_t bytes_ = 0;
};

}  // namespace

void run(const StepContext& context, const plan::ReadFile& file) {
  const auto& layout = context.info(file.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (distribution::is_empty(mine)) return;
  std::int64_t offset = file.offset;
  for (std::size_t k = 0; k < mine.size(); ++k) offset += mine[k].first * file.strides[k];
  Reader(context, file, mine).read(context.own_block(file.out), offset);
}

/// What is known from reading, of an array to which nothing was written since then.
void tell_last_read(const StepContext& context, const plan::WriteFile& file, std::int64_t* receipt) {
  const auto& storage = context.storage(file.input.slot);
  if (last_read.step == 0 || storage.written_by != last_read.step || storage.scattered_by > last_read.step)
    return;
  receipt[0] = last_read.sum;
  receipt[1] = last_read.bytes;
}

void run(const StepContext& context, const plan::WriteFile& file) {
  auto* receipt = reinterpret_cast<std::int64_t*>(context.own_block(file.out));
  receipt[0] = receipt[1] = 0;
  if (file.payload < 0) return tell_last_read(context, file, receipt);
  const auto& shares = file.shares;
  if (!shares.takes_part(context.rank()) || distribution::is_empty(shares.box(context.rank()))) return;
  Writer writer(context, file);
  writer.write(shares.box(context.rank()));
  writer.finish();
  receipt[0] = static_cast<std::int64_t>(writer.sum());
  receipt[1] = writer.bytes();
}

}  // namespace gamelan::engine::steps
