// SPDX-License-Identifier: BSD-3-Clause
// The typed folds (fold.hpp says what they mean) of every row that the op table calls associative. Built like
// elementwise_loops.cpp, once per instruction-set level. The lanes are logical, 32 whatever the width of a
// vector, so levels agree in every bit.
#include <algorithm>
#include <cstring>

#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/loops/folds/fold_tables.hpp"
#include "engine/tiles/loops/folds/identities.hpp"
#include "engine/tiles/loops/folds/vector_lanes.hpp"
#include "engine/tiles/loops/rows.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

using protocol::Op;

// The processor's own prefetching stops at the end of a page, and the heap has small pages.
constexpr std::size_t bytes_ahead = 8192, bytes_ahead_in_rows = 1024, line_bytes = 64;
constexpr std::size_t side_by_side = 4;  // runs, where memory is what takes the time
/// Elements whose runs are folded side by side: the lanes of four runs are a kibibyte.
template <class T>
constexpr bool is_worth_streams = sizeof(T) == 4 || sizeof(T) == 8;

/// Asks for what lies so far behind 32 elements.
template <class T>
[[gnu::always_inline]] inline void fetch_ahead(const T* values, std::size_t bytes = bytes_ahead) {
  const auto* ahead = reinterpret_cast<const char*>(values) + bytes;
  for (std::size_t byte = 0; byte < lane_count * sizeof(T); byte += line_bytes)
    __builtin_prefetch(ahead + byte);
}

/// The type in which a run is accumulated: float for halves, whose sums would soon stop growing.
template <class T>
using Wide = std::conditional_t<is_half<T>, float, T>;

template <class Row, class T>
T fold_short_run(const T* values, std::int64_t length) {
  Wide<T> lane[lane_count];
  for (std::int64_t j = 0; j < length; ++j) lane[j] = static_cast<Wide<T>>(values[j]);
  for (std::int64_t half = lane_count / 2; half > 0; half /= 2) {
    for (std::int64_t j = 0; j < half && j + half < length; ++j)
      lane[j] = Row::apply(lane[j], lane[j + half]);
  }
  return static_cast<T>(lane[0]);
}

/// Combines the lanes of a run. Of the last four floats the compiler would make half a vector, whose other
/// half multiplies what is left there: an error that is none of the elements'. In memory they are alone.
template <class Row, class T, class Lane>
[[gnu::always_inline]] inline T fold_lanes(const Lane* lanes) {
  if constexpr (has_vector_lanes<Row, T>) {
    return VectorLanes<Row, T>(lanes).combined();
  } else {
    constexpr std::int64_t most = lane_count / 2;
    Wide<T> lane[most];
    for (std::int64_t j = 0; j < most; ++j)
      lane[j] = Row::apply(static_cast<Wide<T>>(lanes[j]), static_cast<Wide<T>>(lanes[j + most]));
#pragma GCC unroll 8
    for (std::int64_t half = most / 2; half > 2; half /= 2) {
      for (std::int64_t j = 0; j < half; ++j) lane[j] = Row::apply(lane[j], lane[j + half]);
    }
    Wide<T> last[4] = {lane[0], lane[1], lane[2], lane[3]};
    if constexpr (std::is_same_v<Wide<T>, float>) asm("" : "+m"(last));
    return static_cast<T>(Row::apply(Row::apply(last[0], last[2]), Row::apply(last[1], last[3])));
  }
}

/// At least as many as the lanes: all of them are in use, and every bound but that of the tail is a constant.
template <class Row, class T>
T fold_run(const T* values, std::int64_t length) {
  if constexpr (has_vector_lanes<Row, T>) {
    VectorLanes<Row, T> lanes(values);
    std::int64_t done = lane_count;
    for (; done + lane_count <= length; done += lane_count) {
      fetch_ahead(values + done);
      lanes.add(values + done);
    }
    lanes.add(values + done, length - done);
    return lanes.combined();
  } else {
    Wide<T> lane[lane_count];
    for (std::int64_t j = 0; j < lane_count; ++j) lane[j] = static_cast<Wide<T>>(values[j]);
    std::int64_t done = lane_count;
    for (; done + lane_count <= length; done += lane_count) {
      fetch_ahead(values + done);
      for (std::int64_t j = 0; j < lane_count; ++j) {
        lane[j] = Row::apply(lane[j], static_cast<Wide<T>>(values[done + j]));
      }
    }
    for (std::int64_t j = 0; done + j < length; ++j) {
      lane[j] = Row::apply(lane[j], static_cast<Wide<T>>(values[done + j]));
    }
    return fold_lanes<Row, T>(lane);
  }
}

/// fold_run of four runs side by side, at least as long as the lanes: 32 values of each in turn. Memory gives
/// more when several streams are read from it, and the processor fetches these ahead by itself. value(s, i)
/// is element i of run s; the result of run s goes to *out[s].
template <class Row, class T, class Value>
[[gnu::always_inline]] inline void fold_side_by_side(std::int64_t length, Value value, T* const* out) {
  T lane[side_by_side][lane_count];
#pragma GCC unroll 1
  for (std::size_t s = 0; s < side_by_side; ++s)
    for (std::int64_t j = 0; j < lane_count; ++j) lane[s][j] = value(s, j);
  std::int64_t done = lane_count;
  for (; done + lane_count <= length; done += lane_count)
#pragma GCC unroll 1
    for (std::size_t s = 0; s < side_by_side; ++s)
      for (std::int64_t j = 0; j < lane_count; ++j) lane[s][j] = Row::apply(lane[s][j], value(s, done + j));
#pragma GCC unroll 1
  for (std::size_t s = 0; s < side_by_side; ++s) {
    for (std::int64_t j = 0; done + j < length; ++j) lane[s][j] = Row::apply(lane[s][j], value(s, done + j));
    *out[s] = fold_lanes<Row, T>(lane[s]);
  }
}

/// Folds runs four at a time, far apart from each other; returns how many.
template <class Row, class T>
std::int64_t fold_runs_apart(const T* __restrict values, std::int64_t run_count, std::int64_t run_length,
                             T* __restrict out) {
  constexpr auto streams = static_cast<std::int64_t>(side_by_side);
  const auto share = run_count / streams;
  for (std::int64_t run = 0; run < share; ++run) {
    const T* from[side_by_side];
    T* to[side_by_side];
    for (std::int64_t s = 0; s < streams; ++s) {
      from[s] = values + (s * share + run) * run_length;
      to[s] = out + s * share + run;
    }
    fold_side_by_side<Row, T>(
        run_length, [&](std::size_t s, std::int64_t i) { return from[s][i]; }, to);
  }
  return share * streams;
}

/// Runs shorter than the lanes are many: `together` at once, the operations of each as in fold_short_run.
/// Where one of them is a comparison, the compiler makes no vectors of itself.
template <class Row, class T, std::int64_t together>
void fold_short_runs(const T* values, std::int64_t length, T* out) {
  Wide<T> lane[lane_count][together];
  for (std::int64_t run = 0; run < together; ++run)
    for (std::int64_t j = 0; j < length; ++j) lane[j][run] = static_cast<Wide<T>>(values[run * length + j]);
  const auto fold = [&](std::int64_t to, std::int64_t from) {
    if constexpr (has_vector_lanes<Row, T>) {
      using Unaligned = typename VectorOf<T>::Unaligned;
      for (std::int64_t run = 0; run < together; run += VectorOf<T>::width) {
        auto* const first = reinterpret_cast<Unaligned*>(&lane[to][run]);
        *first = Row::apply(VectorOf<T>::at(&lane[to][run], 0), VectorOf<T>::at(&lane[from][run], 0));
      }
    } else {
      for (std::int64_t run = 0; run < together; ++run)
        lane[to][run] = Row::apply(lane[to][run], lane[from][run]);
    }
  };
  for (std::int64_t half = lane_count / 2; half > 0; half /= 2)
    for (std::int64_t j = 0; j < half && j + half < length; ++j) fold(j, j + half);
  for (std::int64_t run = 0; run < together; ++run) out[run] = static_cast<T>(lane[0][run]);
}

/// Element `lane` of a run after its lanes have been folded in halves down to `half`, as in fold_short_run.
template <class Row, std::int64_t length, std::int64_t lane, std::int64_t half, class T>
[[gnu::always_inline]] inline T fold_tree(const T* values) {
  if constexpr (half == lane_count) {
    return values[lane];
  } else {
    const auto left = fold_tree<Row, length, lane, 2 * half>(values);
    if constexpr (lane + half < length)
      return Row::apply(left, fold_tree<Row, length, lane + half, 2 * half>(values));
    else
      return left;
  }
}

/// fold_short_runs with a length that the compiler knows: all values stay in registers.
template <class Row, std::int64_t length, class T>
void fold_runs_of(const T* __restrict values, std::int64_t run_count, T* __restrict out) {
  constexpr std::int64_t together = lane_count;
  std::int64_t run = 0;
  for (; run + together <= run_count; run += together, values += together * length) {
    for (std::int64_t part = 0; part < length; ++part) fetch_ahead(values + part * together);
    for (std::int64_t each = 0; each < together; ++each)
      out[run + each] = fold_tree<Row, length, 0, 1>(values + each * length);
  }
  for (; run < run_count; ++run, values += length) out[run] = fold_tree<Row, length, 0, 1>(values);
}

template <class Row, class T>
void fold_runs_in_turn(const void* from, std::int64_t run_count, std::int64_t run_length, void* to) {
  const T* values = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  if (run_length == lane_count) {
    for (std::int64_t run = 0; run < run_count; ++run)
      out[run] = fold_lanes<Row, T>(values + run * run_length);
    return;
  }
  if (run_length > lane_count) {
    for (std::int64_t run = 0; run < run_count; ++run)
      out[run] = fold_run<Row>(values + run * run_length, run_length);
    return;
  }
  if constexpr (Real<T>)
    if (run_length == 2) return fold_runs_of<Row, 2>(values, run_count, out);
  if constexpr (Real<T> && (Row::op == Op::add || Row::op == Op::multiply)) {
    if (run_length == 3) return fold_runs_of<Row, 3>(values, run_count, out);
    if (run_length == 4) return fold_runs_of<Row, 4>(values, run_count, out);
    if (run_length == 8) return fold_runs_of<Row, 8>(values, run_count, out);
  }
  constexpr std::int64_t together = 16;
  std::int64_t run = 0;
  for (; run + together <= run_count; run += together)
    fold_short_runs<Row, T, together>(values + run * run_length, run_length, out + run);
  for (; run < run_count; ++run) out[run] = fold_short_run<Row>(values + run * run_length, run_length);
}

template <class Row, class T>
void fold_runs(const void* from, std::int64_t run_count, std::int64_t run_length, void* to) {
  std::int64_t run = 0;
  const T* values = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  if constexpr (is_worth_streams<T>)
    if (run_length >= lane_count) run = fold_runs_apart<Row>(values, run_count, run_length, out);
  fold_runs_in_turn<Row, T>(values + run * run_length, run_count - run, run_length, out + run);
}

/// The operations of fold_run and fold_short_run on products, which are stored nowhere.
template <class Row, class T, bool x_ahead = true, bool y_ahead = true>
T fold_products_of_run(const T* x, const T* y, std::int64_t length) {
  if (length < lane_count) {
    T lane[lane_count];
    for (std::int64_t j = 0; j < length; ++j) lane[j] = x[j] * y[j];
    for (std::int64_t half = lane_count / 2; half > 0; half /= 2)
      for (std::int64_t j = 0; j < half && j + half < length; ++j) lane[j] += lane[j + half];
    return lane[0];
  }
  const Products<T> products{x, y};
  VectorLanes<Row, T> lanes(products);
  std::int64_t done = lane_count;
  for (; done + lane_count <= length; done += lane_count) {
    if constexpr (x_ahead) fetch_ahead(x + done);
    if constexpr (y_ahead)
      if (x != y) fetch_ahead(y + done);
    lanes.add(products + done);
  }
  lanes.add(products + done, length - done);
  return lanes.combined();
}

/// The same of four runs, which are folded side by side where they are as long as the lanes.
template <class Row, class T>
void fold_four_products(const void* const* left, const void* const* right, std::int64_t length,
                        void* const* to) {
  const T *x[side_by_side], *y[side_by_side];
  T* out[side_by_side];
  for (std::size_t s = 0; s < side_by_side; ++s) {
    x[s] = static_cast<const T*>(left[s]);
    y[s] = static_cast<const T*>(right[s]);
    out[s] = static_cast<T*>(to[s]);
  }
  if (length >= lane_count)
    return fold_side_by_side<Row, T>(
        length, [&](std::size_t s, std::int64_t i) { return x[s][i] * y[s][i]; }, out);
  for (std::size_t s = 0; s < side_by_side; ++s) *out[s] = fold_products_of_run<Row>(x[s], y[s], length);
}

template <class Row, class T, bool x_ahead = true, bool y_ahead = true>
void fold_products_in_turn(const void* left, const void* right, std::int64_t run_count,
                           std::int64_t run_length, void* to) {
  const T *x = static_cast<const T*>(left), *y = static_cast<const T*>(right);
  for (std::int64_t run = 0; run < run_count; ++run)
    static_cast<T*>(to)[run] = fold_products_of_run<Row, T, x_ahead, y_ahead>(
        x + run * run_length, y + run * run_length, run_length);
}

template <class Row, class T>
void fold_products(const void* left, const void* right, std::int64_t run_count, std::int64_t run_length,
                   void* to) {
  const T *x = static_cast<const T*>(left), *y = static_cast<const T*>(right);
  T* out = static_cast<T*>(to);
  constexpr auto streams = static_cast<std::int64_t>(side_by_side);
  const auto share = run_length >= lane_count ? run_count / streams : 0;
  for (std::int64_t run = 0; run < share; ++run) {
    const void *left_of[side_by_side], *right_of[side_by_side];
    void* to_of[side_by_side];
    for (std::int64_t s = 0; s < streams; ++s) {
      const auto at = s * share + run;
      left_of[s] = x + at * run_length;
      right_of[s] = y + at * run_length;
      to_of[s] = out + at;
    }
    fold_four_products<Row, T>(left_of, right_of, run_length, to_of);
  }
  const auto done = share * streams;
  fold_products_in_turn<Row, T>(x + done * run_length, y + done * run_length, run_count - done, run_length,
                                out + done);
}

/// Some rows at once, one or more, in their order, `width` columns at a time: the accumulators begin as
/// `start`, stay in registers for all rows, and are stored once. Returns the first column that is left.
template <class Row, class T, std::int64_t width>
std::int64_t fold_columns(const T* start, const T* values, std::int64_t rows, std::int64_t row_length,
                          std::int64_t pitch, T* acc, std::int64_t column) {
  const auto fetch = [](const T* row) {
    if constexpr (width == lane_count) fetch_ahead(row, bytes_ahead_in_rows);
  };
  for (; column + width <= row_length; column += width) {
    T lane[width];  // begins without a copy: see VectorLanes
    const T* row = values + column;
    fetch(row);
    for (std::int64_t j = 0; j < width; ++j) lane[j] = Row::apply(start[column + j], row[j]);
    for (std::int64_t k = 1; k < rows; ++k) {
      row += pitch;
      fetch(row);
      for (std::int64_t j = 0; j < width; ++j) lane[j] = Row::apply(lane[j], row[j]);
    }
    for (std::int64_t j = 0; j < width; ++j) acc[column + j] = lane[j];
  }
  return column;
}

template <class Row, class T>
void fold_rows(const void* begin, const void* from, std::int64_t row_count, std::int64_t row_length,
               std::int64_t pitch, void* to) {
  constexpr std::int64_t together = 8;  // more lie on too many pages
  const T *start = static_cast<const T*>(begin), *values = static_cast<const T*>(from);
  T* acc = static_cast<T*>(to);
  if (row_count == 0) std::copy_n(start, row_length, acc);
  while (row_count > 0) {
    const auto rows = std::min(together, row_count);
    auto column = fold_columns<Row, T, lane_count>(start, values, rows, row_length, pitch, acc, 0);
    column = fold_columns<Row, T, 8>(start, values, rows, row_length, pitch, acc, column);
    fold_columns<Row, T, 1>(start, values, rows, row_length, pitch, acc, column);
    start = acc;
    values += rows * pitch;
    row_count -= rows;
  }
}

/// The tree of fold_pairs, level by level: row i becomes rows 2i and 2i + 1 folded, and a last one without a
/// partner waits.
template <class Row, class T>
void fold_short_pairs(void* values, std::int64_t count, std::int64_t row_length) {
  T* const rows = static_cast<T*>(values);
  for (; count > 1; count = count / 2 + count % 2) {
    const auto pairs = count / 2;
    for (std::int64_t i = 0; i < pairs; ++i) {
      const T *left = rows + 2 * i * row_length, *right = left + row_length;
      for (std::int64_t j = 0; j < row_length; ++j) rows[i * row_length + j] = Row::apply(left[j], right[j]);
    }
    if (count % 2 == 1) std::copy_n(rows + (count - 1) * row_length, row_length, rows + pairs * row_length);
  }
}

}  // namespace

FoldLoops fold_loops(Op op, Dtype dtype) {
  return with_element(dtype, [&]<class T>() {
    return rows::with_fold<T, FoldLoops>(op, []<class Row>() {
      FoldLoops loops{fold_runs<Row, T>,
                      fold_runs_in_turn<Row, T>,
                      fold_rows<Row, T>,
                      fold_short_pairs<Row, T>,
                      nullptr,
                      nullptr,
                      {}};
      if constexpr (Real<T> && Row::op == Op::add) {
        loops.products = fold_products<Row, T>;
        loops.products_in_turn = fold_products_in_turn<Row, T>;
        loops.products_with_x_ahead = fold_products_in_turn<Row, T, true, false>;
        loops.products_with_y_ahead = fold_products_in_turn<Row, T, false, true>;
        loops.four_products = fold_four_products<Row, T>;
      }
      return loops;
    });
  });
}

bool write_identity(Op op, Dtype dtype, void* to) {
  return with_element(dtype, [&]<class T>() {
    return rows::with_fold<T, bool>(op, [&]<class Row>() { return write_identity<T>(Row::identity, to); });
  });
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
