// SPDX-License-Identifier: BSD-3-Clause
// The typed loops of moments.hpp, which says what they mean. Built like fold_loops.cpp, once per
// instruction-set level; the lanes are logical, so levels agree in every bit.
#include <cstring>

#include "engine/tiles/loops/element.hpp"
#include "engine/tiles/loops/moment_tables.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

#ifdef __AVX2__
constexpr std::int64_t vector_lanes = 4;
#else
constexpr std::int64_t vector_lanes = 2;
#endif
// Written out, because the compiler would transpose blocks of elements instead.
using Vector __attribute__((vector_size(vector_lanes * sizeof(double)))) = double;

/// Logical lanes, in as many vectors as the level needs.
template <std::int64_t count>
using Lanes = Vector[count / vector_lanes];

constexpr std::int64_t sum_lanes = 32, deviation_lanes = 16;
constexpr std::int64_t strip = 16;  // columns at a time: their accumulators stay in registers
// The processor's own prefetching stops at the end of a page, and the heap has small pages.
constexpr std::size_t bytes_ahead = 8192, bytes_ahead_in_rows = 2048, line_bytes = 64;
constexpr std::int64_t rows_together = 8, cached_bytes = 262'144;  // half a small second-level cache

template <class T>
double number(T value) {
  if constexpr (is_half<T>)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<double>(value);
}

template <class T>
void load(const T* from, Vector& to) {
  if constexpr (is_half<T>) {
    for (std::int64_t j = 0; j < vector_lanes; ++j) to[j] = number(from[j]);
  } else {
    typedef T Values __attribute__((vector_size(vector_lanes * sizeof(T))));
    Values values;
    std::memcpy(&values, from, sizeof values);
    to = __builtin_convertvector(values, Vector);
  }
}

/// Asks for the lines of `count` elements.
template <class T, std::int64_t count>
void fetch(const void* from) {
  for (std::size_t byte = 0; byte < count * sizeof(T); byte += line_bytes)
    __builtin_prefetch(static_cast<const char*>(from) + byte);
}

template <std::int64_t count>
double sum_of(const Vector* lanes) {
  double lane[count];
  std::memcpy(lane, lanes, sizeof lane);
  for (std::int64_t half = count / 2; half > 0; half /= 2)
    for (std::int64_t j = 0; j < half; ++j) lane[j] += lane[j + half];
  return lane[0];
}

template <class T>
double mean_of_run(const T* values, std::int64_t length) {
  Lanes<sum_lanes> lanes = {};
  std::int64_t done = 0;
  for (; done + sum_lanes <= length; done += sum_lanes) {
    fetch<T, sum_lanes>(reinterpret_cast<const char*>(values + done) + bytes_ahead);
    for (std::int64_t v = 0; v < sum_lanes / vector_lanes; ++v) {
      Vector part;
      load(values + done + v * vector_lanes, part);
      lanes[v] += part;
    }
  }
  for (std::int64_t j = 0; done + j < length; ++j)
    lanes[j / vector_lanes][j % vector_lanes] += number(values[done + j]);
  return sum_of<sum_lanes>(lanes) / static_cast<double>(length);
}

template <class T>
void moments_of_run(const T* values, std::int64_t length, double* record) {
  const double pivot = mean_of_run(values, length);
  Lanes<deviation_lanes> sum = {}, squares = {};
  std::int64_t done = 0;
  for (; done + deviation_lanes <= length; done += deviation_lanes)
    for (std::int64_t v = 0; v < deviation_lanes / vector_lanes; ++v) {
      Vector part;
      load(values + done + v * vector_lanes, part);
      const Vector deviation = part - pivot;
      sum[v] += deviation;
      squares[v] += deviation * deviation;
    }
  for (std::int64_t j = 0; done + j < length; ++j) {
    const double deviation = number(values[done + j]) - pivot;
    sum[j / vector_lanes][j % vector_lanes] += deviation;
    squares[j / vector_lanes][j % vector_lanes] += deviation * deviation;
  }
  record[0] = static_cast<double>(length);
  record[1] = pivot;
  record[2] = sum_of<deviation_lanes>(sum);
  record[3] = sum_of<deviation_lanes>(squares);
}

template <class T>
void moments_of_runs(const void* from, std::int64_t run_count, std::int64_t run_length, double* records) {
  const T* values = static_cast<const T*>(from);
  for (std::int64_t run = 0; run < run_count; ++run, values += run_length, records += 4)
    moments_of_run(values, run_length, records);
}

template <class T>
const T* row_of(const std::byte* const* rows, std::int64_t row, std::int64_t column) {
  return reinterpret_cast<const T*>(rows[row]) + column;
}

/// Adds up rows, some at once over all columns, as they come from memory, and divides by their number: whole
/// strips only.
template <class T>
void means_of_columns(const std::byte* const* rows, std::int64_t row_count, std::int64_t first,
                      std::int64_t last, double* means) {
  constexpr auto vectors = strip / vector_lanes;
  for (std::int64_t top = 0; top < row_count; top += rows_together) {
    const auto bottom = top + rows_together < row_count ? top + rows_together : row_count;
    for (auto column = first; column < last; column += strip) {
      Lanes<strip> sum = {};
      if (top > 0) std::memcpy(sum, means + column, sizeof sum);
      for (auto row = top; row < bottom; ++row) {
        const T* values = row_of<T>(rows, row, column);
        fetch<T, strip>(reinterpret_cast<const char*>(values) + bytes_ahead_in_rows);
        for (std::int64_t v = 0; v < vectors; ++v) {
          Vector part;
          load(values + v * vector_lanes, part);
          sum[v] += part;
        }
      }
      if (bottom == row_count)
        for (auto& part : sum) part /= static_cast<double>(row_count);
      std::memcpy(means + column, sum, sizeof sum);
    }
  }
}

/// The sums of `strip` columns from `column` on about their pivots, which stand in the record. The rows are
/// in cache.
template <class T>
void deviations_of_strip(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                         std::int64_t column, double* record) {
  constexpr auto vectors = strip / vector_lanes;
  double* out = record + column;
  Lanes<strip> pivot, sum = {}, squares = {};
  std::memcpy(pivot, out + columns, sizeof pivot);
  for (std::int64_t row = 0; row < row_count; ++row) {
    const T* values = row_of<T>(rows, row, column);
    for (std::int64_t v = 0; v < vectors; ++v) {
      Vector part;
      load(values + v * vector_lanes, part);
      const Vector deviation = part - pivot[v];
      sum[v] += deviation;
      squares[v] += deviation * deviation;
    }
  }
  for (std::int64_t j = 0; j < strip; ++j) out[j] = static_cast<double>(row_count);
  std::memcpy(out + 2 * columns, sum, sizeof sum);
  std::memcpy(out + 3 * columns, squares, sizeof squares);
}

/// One column, with the operations of a strip.
template <class T>
void moments_of_column(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                       std::int64_t column, double* record) {
  const auto count = static_cast<double>(row_count);
  double pivot = 0, sum = 0, squares = 0;
  for (std::int64_t row = 0; row < row_count; ++row) pivot += number(*row_of<T>(rows, row, column));
  pivot /= count;
  for (std::int64_t row = 0; row < row_count; ++row) {
    const double deviation = number(*row_of<T>(rows, row, column)) - pivot;
    sum += deviation;
    squares += deviation * deviation;
  }
  record[column] = count;
  record[columns + column] = pivot;
  record[2 * columns + column] = sum;
  record[3 * columns + column] = squares;
}

template <class T>
void moments_of_columns(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                        double* record) {
  const auto row_bytes = row_count * static_cast<std::int64_t>(sizeof(T));
  const auto fitting = cached_bytes / row_bytes / strip * strip, together = fitting < strip ? strip : fitting;
  const auto whole = columns / strip * strip;
  for (std::int64_t first = 0; first < whole; first += together) {
    const auto last = first + together < whole ? first + together : whole;
    means_of_columns<T>(rows, row_count, first, last, record + columns);
    for (auto column = first; column < last; column += strip)
      deviations_of_strip<T>(rows, row_count, columns, column, record);
  }
  for (auto column = whole; column < columns; ++column)
    moments_of_column<T>(rows, row_count, columns, column, record);
}

/// With d the distance of a part's pivot from the new one, a part of n values with the sums s and q about its
/// own pivot has the sums s + n d and q + d (2 s + n d) about the new one. Where squares are infinite or NaN
/// the distances say nothing: their sum is what two passes give.
void merge(double* __restrict to, const double* __restrict from, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j) {
    double* left = to + j;
    const double* right = from + j;
    const double left_count = left[0], right_count = right[0], count = left_count + right_count;
    const double left_pivot = left[columns], right_pivot = right[columns];
    const double pivot = left_pivot + (right_pivot - left_pivot) * (right_count / count);
    const double left_shift = left_count * (left_pivot - pivot),
                 right_shift = right_count * (right_pivot - pivot);
    const double left_sum = left[2 * columns], right_sum = right[2 * columns];
    const double within = left[3 * columns] + right[3 * columns];
    const double between = (left_pivot - pivot) * (2 * left_sum + left_shift) +
                           (right_pivot - pivot) * (2 * right_sum + right_shift);
    left[0] = count;
    left[columns] = pivot;
    left[2 * columns] = (left_sum + left_shift) + (right_sum + right_shift);
    left[3 * columns] = within - within == 0 ? within + between : within;
  }
}

void squares_about_mean(const double* record, std::int64_t columns, double* out) {
  for (std::int64_t j = 0; j < columns; ++j) {
    const double sum = record[2 * columns + j], squares = record[3 * columns + j];
    const double about_mean = squares - sum * sum / record[j];
    out[j] = squares - squares == 0 ? (about_mean < 0 ? 0 : about_mean) : squares;
  }
}

template <class T>
MomentLoops loops_of() {
  return {moments_of_runs<T>, moments_of_columns<T>, merge, squares_about_mean};
}

}  // namespace

MomentLoops moment_loops(Dtype dtype) {
  if (dtype == Dtype::float64) return loops_of<double>();
  if (dtype == Dtype::float32) return loops_of<float>();
  if (dtype == Dtype::float16) return loops_of<Half>();
  return {};
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
