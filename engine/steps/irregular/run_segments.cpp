// SPDX-License-Identifier: BSD-3-Clause
// reduceat: folds of parts of a row. A part is folded by the rank that owns its result, in pieces that begin
// at its first element; so the bits do not depend on where the row lies.
#include <algorithm>
#include <cstring>

#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/tiles/loops/fold.hpp"

namespace gamelan::engine::steps {
namespace {

class SegmentFolder {
 public:
  SegmentFolder(const StepContext& context, const plan::FoldSegments& step)
      : values_(context, step.values, step.values_dtype, step.loop),
        length_(step.values.placement.iterations.axes[0].extent),
        item_(static_cast<std::int64_t>(protocol::size_of(step.loop))),
        fold_(tiles::find_fold_runs(step.op, step.loop)),
        combine_(tiles::find_loop(step.op, step.loop)) {}

  /// Parts of the same length, one behind the other.
  void fold_alike(std::int64_t first, std::int64_t size, std::int64_t count, std::byte* out) {
    fold_(at(first, count * size), count, size, out);
  }

  /// How many of the parts that begin at start[0 .. count - 1] are as long as the first, one behind the
  /// other, and inside the row; only short ones are worth it. The last part ends elsewhere.
  std::int64_t alike(const std::int64_t* start, std::int64_t count) const {
    const auto size = count > 1 ? start[1] - start[0] : 0;
    if (size < 1 || size > longest_alike || start[0] < 0) return 0;
    count = std::min(count, Stream::chunk / size + 1);  // which are folded in one go
    std::int64_t found = 0;
    while (found + 1 < count && start[found + 1] - start[found] == size && start[found + 1] <= length_)
      ++found;
    return found;
  }

  void fold(std::int64_t first, std::int64_t last, std::byte* out) {
    first = std::clamp<std::int64_t>(first, 0, length_ - 1);
    last = std::clamp(last, first + 1, length_);
    const auto size = std::min(Stream::chunk, last - first);
    fold_(at(first, size), 1, size, out);
    for (auto next = first + size; next < last; next += Stream::chunk) {
      const auto some = std::min(Stream::chunk, last - next);
      alignas(16) std::byte part[16];
      fold_(at(next, some), 1, some, part);
      const void* operands[] = {out, part};
      combine_(operands, out, 1, nullptr);
    }
  }

 private:
  static constexpr std::int64_t longest_alike = 256;

  /// Elements [first, first + count). Short parts follow each other, so many are read at once.
  const std::byte* at(std::int64_t first, std::int64_t count) {
    if (first < window_first_ || first + count > window_last_) {
      window_first_ = first;
      window_last_ = std::min(first + Stream::chunk, length_);
      window_ = values_.read(first, window_last_ - first);
    }
    return window_ + (first - window_first_) * item_;
  }

  Stream values_;
  std::int64_t length_, item_;
  tiles::FoldRuns fold_;
  tiles::Loop combine_;
  const std::byte* window_ = nullptr;
  std::int64_t window_first_ = 0, window_last_ = 0;
};

}  // namespace

void run(const StepContext& context, const plan::FoldSegments& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank())[0];
  if (mine.size() == 0) return;
  const auto segments = layout.axes[0].extent;
  const auto length = step.values.placement.iterations.axes[0].extent;
  const auto item = static_cast<std::int64_t>(protocol::size_of(step.loop));
  SegmentFolder folder(context, step);
  Stream starts(context, step.starts, step.starts_dtype, protocol::Dtype::int64, Stream::chunk + 1);
  auto* out = context.own_block(step.out);
  for (auto at = mine.first; at < mine.last; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, mine.last - at);
    const auto known = std::min(some + 1, segments - at);  // with the start that follows
    const auto* start = starts.read_as<std::int64_t>(at, known);
    for (std::int64_t i = 0; i < some;) {
      const auto count = std::max<std::int64_t>(std::min(folder.alike(start + i, known - i), some - i), 1);
      if (count > 1)
        folder.fold_alike(start[i], start[i + 1] - start[i], count, out);
      else
        folder.fold(start[i], i + 1 < known ? start[i + 1] : length, out);
      i += count;
      out += count * item;
    }
  }
}

}  // namespace gamelan::engine::steps
