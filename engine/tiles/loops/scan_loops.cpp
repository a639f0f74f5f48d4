// SPDX-License-Identifier: BSD-3-Clause
// The typed running folds (scan.hpp says what they mean) of every row that the op table calls associative.
// Built like fold_loops.cpp, once per instruction-set level. The order of operations is that of the elements,
// at every level.
#include "engine/tiles/loops/rows.hpp"
#include "engine/tiles/loops/scan_tables.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

using protocol::Op;

constexpr std::int64_t abreast = 4;  // lines side by side: enough to hide the latency of an addition

template <class Row, class T, std::int64_t count, bool has_starts>
void scan_abreast(const T* in, std::int64_t length, const T* starts, T* out) {
  T fold[count];
  for (std::int64_t line = 0; line < count; ++line) {
    fold[line] = in[line * length];
    out[line * length] = has_starts ? Row::apply(starts[line], fold[line]) : fold[line];
  }
  for (std::int64_t i = 1; i < length; ++i) {
#pragma GCC unroll 4
    for (std::int64_t line = 0; line < count; ++line) {
      fold[line] = Row::apply(fold[line], in[line * length + i]);
      out[line * length + i] = has_starts ? Row::apply(starts[line], fold[line]) : fold[line];
    }
  }
}

template <class Row, class T, bool has_starts>
void scan_all(const T* in, std::int64_t lines, std::int64_t length, const T* starts, T* out) {
  std::int64_t line = 0;
  for (; line + abreast <= lines; line += abreast)
    scan_abreast<Row, T, abreast, has_starts>(in + line * length, length,
                                              has_starts ? starts + line : nullptr, out + line * length);
  for (; line < lines; ++line)
    scan_abreast<Row, T, 1, has_starts>(in + line * length, length, has_starts ? starts + line : nullptr,
                                        out + line * length);
}

template <class Row, class T>
void scan_lines(const void* in, std::int64_t lines, std::int64_t length, const void* starts, void* out) {
  if (starts != nullptr)
    scan_all<Row, T, true>(static_cast<const T*>(in), lines, length, static_cast<const T*>(starts),
                           static_cast<T*>(out));
  else
    scan_all<Row, T, false>(static_cast<const T*>(in), lines, length, nullptr, static_cast<T*>(out));
}

template <class Row, class T, std::int64_t count>
void fold_abreast(const T* in, std::int64_t length, T* out) {
  T fold[count];
  for (std::int64_t line = 0; line < count; ++line) fold[line] = in[line * length];
  for (std::int64_t i = 1; i < length; ++i) {
#pragma GCC unroll 4
    for (std::int64_t line = 0; line < count; ++line)
      fold[line] = Row::apply(fold[line], in[line * length + i]);
  }
  for (std::int64_t line = 0; line < count; ++line) out[line] = fold[line];
}

template <class Row, class T>
void fold_lines(const void* from, std::int64_t lines, std::int64_t length, void* to) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  std::int64_t line = 0;
  for (; line + abreast <= lines; line += abreast)
    fold_abreast<Row, T, abreast>(in + line * length, length, out + line);
  for (; line < lines; ++line) fold_abreast<Row, T, 1>(in + line * length, length, out + line);
}

}  // namespace

ScanLoops scan_loops(Op op, Dtype dtype) {
  return with_element(dtype, [&]<class T>() {
    return rows::with_fold<T, ScanLoops>(op, []<class Row>() {
      return ScanLoops{scan_lines<Row, T>, fold_lines<Row, T>};
    });
  });
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
