// SPDX-License-Identifier: BSD-3-Clause
// argmax and argmin along an axis, in one pass: each rank keeps the best element so far, and its place, for
// each line of its block of the result, and takes in the elements where they lie, by rising index. An element
// is better when it is greater (smaller), or when it is the first NaN.
#include <algorithm>
#include <vector>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/chunks.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/row_pass.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/tiles/loops/element.hpp"
#include "engine/tiles/loops/extremes.hpp"
#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/loops/split_columns.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using distribution::Piece;
using protocol::Dtype;
using protocol::Shape;

constexpr std::int64_t lines_together = 2048;
constexpr std::int64_t run_length = 1024;  // of neighbours: only their extreme is compared
constexpr std::int64_t shortest_run = 32;

template <class T, bool is_max>
bool is_better(T x, T than) {
  const bool is_beyond = is_max ? x > than : x < than;
  if constexpr (std::is_integral_v<T>) return is_beyond;
  return is_beyond | ((x != x) & (than == than));
}

/// The memory of halves is read as such, and compared as float.
template <class T>
using Compared = std::conditional_t<tiles::baseline::is_half<T>, float, tiles::baseline::Read<T>>;

template <class T, bool is_max>
class ArgLines {
 public:
  using C = Compared<T>;

  ArgLines(const StepContext& context, const plan::ArgLines& step)
      : context_(context),
        step_(step),
        block_(context.info(step.out).layout.box(context.rank())),
        fold_(tiles::find_fold_runs(is_max ? protocol::Op::maximum : protocol::Op::minimum, step.dtype)),
        loops_(tiles::extreme_loops(step.dtype, is_max)) {}

  /// A row whose pieces have a result each.
  void run_pieces() {
    const auto& mine = block_[0];
    const auto extent = step_.input.placement.iterations.axes[0].extent;
    auto* out = reinterpret_cast<std::int64_t*>(context_.own_block(step_.out));
    Stream elements(context_, step_.input, step_.dtype, step_.dtype);
    best_.resize(1);
    place_.resize(1);
    for (auto number = mine.first; number < mine.last; ++number) {
      const auto first = number * step_.piece, last = std::min(first + step_.piece, extent);
      for (auto at = first; at < last; at += Stream::chunk) {
        const auto some = std::min(Stream::chunk, last - at);
        one_line(elements.read(at, some), at - first, some, sizeof(T), 0);
      }
      *out++ = first + place_[0];
    }
  }

  /// The lines of this rank whose first index is in `rows`.
  void run(const distribution::Interval& rows) {
    auto* out = reinterpret_cast<std::int64_t*>(context_.own_block(step_.out));
    const auto out_strides = protocol::contiguous_strides(distribution::extents_of(block_), 1);
    const distribution::Placement* placement = &step_.input.placement;
    Box some = block_;
    if (!some.empty()) some.front() = rows;
    for_each_chunk(some, lines_together, -1, [&](const Box& part) {
      Box box = part;
      box[step_.axis] = {0, step_.input.placement.iterations.axes[step_.axis].extent};
      const auto lines = static_cast<std::size_t>(volume(part));
      best_.resize(lines);
      place_.resize(lines);
      const auto strides = protocol::contiguous_strides(distribution::extents_of(part), 1);
      distribution::for_each_cell(
          box, {&placement, 1}, context_.rank(), [&](const Box& cell, std::span<const Piece> pieces) {
            if (pieces[0].owner != context_.rank()) context_.count_shared(cell, pieces[0], sizeof(T));
            std::int64_t line = 0;
            for (std::size_t k = 0; k < cell.size(); ++k)
              if (k != step_.axis) line += (cell[k].first - part[k].first) * strides[k];
            take_in(cell, strides, context_.address(step_.input, pieces[0]), pieces[0].strides, line, 0);
          });
      store(part, strides, out, out_strides);
      context_.progress();
    });
  }

 private:
  /// Walks the axes of a cell from `k` on, all but the axis and the last one beside it.
  void take_in(const Box& cell, const Shape& line_strides, const std::byte* data, const Shape& strides,
               std::int64_t line, std::size_t k) {
    const auto axis = step_.axis;
    const auto last =
        axis + 1 == cell.size() ? axis - 1 : cell.size() - 1;  // beside the axis; none: size_t(-1)
    if (k == axis) return take_in(cell, line_strides, data, strides, line, k + 1);
    if (k < last && k < cell.size()) {
      for (std::int64_t i = 0; i < cell[k].size(); ++i)
        take_in(cell, line_strides, data + i * strides[k], strides, line + i * line_strides[k], k + 1);
      return;
    }
    const bool has_other = last < cell.size();
    const std::int64_t count = has_other ? cell[last].size() : 1, step = has_other ? strides[last] : 0;
    const std::int64_t line_step = has_other ? line_strides[last] : 0;
    const auto first = cell[axis].first, length = cell[axis].size();
    const auto along = strides[axis];
    if (count > 1 && line_step == 1 && std::abs(step) < std::abs(along)) {
      across(data, first, length, along, count, step, line);
    } else {
      for (std::int64_t j = 0; j < count; ++j)
        one_line(data + j * step, first, length, along, static_cast<std::size_t>(line + j * line_step));
    }
  }

  static C value(const std::byte* at) { return static_cast<C>(*reinterpret_cast<const ReadAs*>(at)); }

  void one_line(const std::byte* data, std::int64_t first, std::int64_t length, std::int64_t along,
                std::size_t line) {
    C best = first == 0 ? value(data) : best_[line];
    std::int64_t place = first == 0 ? 0 : place_[line];
    std::int64_t i = 0;
    const std::byte* best_run = nullptr;
    std::int64_t best_count = 0;
    while (along == static_cast<std::int64_t>(sizeof(T)) && length - i >= shortest_run) {
      const auto count = std::min(run_length, length - i);
      T extreme;
      fold_(data + i * along, 1, count, &extreme);
      const C found = value(reinterpret_cast<const std::byte*>(&extreme));
      if (is_better<C, is_max>(found, best)) {
        best = found;
        best_run = data + i * along;
        best_count = count;
      }
      i += count;
    }
    if (best_run != nullptr)
      place = first + (best_run - data) / along + loops_.first_place(best_run, best_count, &best);
    for (; i < length; ++i) look_at(data + i * along, first + i, best, place);
    best_[line] = best;
    place_[line] = place;
  }

  static void look_at(const std::byte* at, std::int64_t index, C& best, std::int64_t& place) {
    const C x = value(at);
    const bool takes = is_better<C, is_max>(x, best);
    best = takes ? x : best;
    place = takes ? index : place;
  }

  /// Lines side by side, whose elements of one index are nearer than those of one line.
  void across(const std::byte* data, std::int64_t first, std::int64_t length, std::int64_t along,
              std::int64_t count, std::int64_t step, std::int64_t line) {
    if (step == static_cast<std::int64_t>(sizeof(T)) && along > 0)
      if (const auto split = tiles::find_split_columns(step, static_cast<std::size_t>(count)))
        return columns(data, first, length, along, count, line, split);
    C* best = best_.data() + line;
    std::int64_t* place = place_.data() + line;
    if (first == 0)
      for (std::int64_t j = 0; j < count; ++j) {
        best[j] = value(data + j * step);
        place[j] = 0;
      }
    const std::int64_t done = first == 0 ? 1 : 0;
    loops_.better_of_lines(data + done * along, along, step, first + done, length - done, count, best, place);
  }

  /// A few lines side by side, each of which is long: they are taken apart, some elements at a time.
  void columns(const std::byte* data, std::int64_t first, std::int64_t length, std::int64_t along,
               std::int64_t count, std::int64_t line, tiles::SplitColumns split) {
    constexpr auto item = static_cast<std::int64_t>(sizeof(T));
    columns_.resize(static_cast<std::size_t>(count * run_length * item));
    std::vector<std::byte*> to;
    for (std::int64_t j = 0; j < count; ++j) to.push_back(columns_.data() + j * run_length * item);
    for (std::int64_t i = 0; i < length; i += run_length) {
      const auto some = std::min(run_length, length - i);
      split(data + i * along, along, some, to.data());
      for (std::int64_t j = 0; j < count; ++j)
        one_line(to[static_cast<std::size_t>(j)], first + i, some, item, static_cast<std::size_t>(line + j));
    }
  }

  void store(const Box& part, const Shape& strides, std::int64_t* out, const Shape& out_strides) const {
    Shape index(part.size(), 0);
    while (true) {
      std::int64_t from = 0, to = 0;
      for (std::size_t k = 0; k < part.size(); ++k) {
        from += index[k] * strides[k];
        to += (part[k].first - block_[k].first + index[k]) * out_strides[k];
      }
      const auto run = part.back().size();
      std::copy_n(place_.data() + from, run, out + to);
      std::size_t k = part.size() - 1;
      while (k > 0 && ++index[k - 1] == part[k - 1].size()) index[--k] = 0;
      if (k == 0) return;
    }
  }

  using ReadAs = tiles::baseline::Read<T>;
  const StepContext& context_;
  const plan::ArgLines& step_;
  Box block_;  // of the result, this rank's
  tiles::FoldRuns fold_;
  tiles::ExtremeLoops loops_;
  std::vector<C> best_;
  std::vector<std::int64_t> place_;
  std::vector<std::byte> columns_;
};

/// Calls look_through(lines) with what searches elements of the step's dtype.
template <class LookThrough>
void with_lines(const StepContext& context, const plan::ArgLines& step, LookThrough look_through) {
  tiles::baseline::with_element(step.dtype, [&]<class T>() {
    if constexpr (!tiles::baseline::is_complex<T>) {
      if (step.is_max)
        look_through(ArgLines<T, true>(context, step));
      else
        look_through(ArgLines<T, false>(context, step));
    }
  });
}

}  // namespace

void run(const StepContext& context, const plan::ArgLines& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (is_empty(mine)) return;
  with_lines(context, step, [&](auto lines) {
    if (step.piece > 0)
      lines.run_pieces();
    else
      lines.run(mine.empty() ? distribution::Interval{} : mine.front());
  });
}

std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::ArgLines& step) {
  std::unique_ptr<RowPass> pass;
  with_lines(context, step, [&]<class Lines>(Lines lines) {
    struct Pass : RowPass {
      explicit Pass(Lines&& some) : lines(std::move(some)) {}
      void run(const distribution::Interval& rows, int /*owner*/) override { lines.run(rows); }
      Lines lines;
    };
    pass = std::make_unique<Pass>(std::move(lines));
  });
  return pass;
}

}  // namespace gamelan::engine::steps
