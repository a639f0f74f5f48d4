// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/strided_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/tiles/loops/copy_bytes.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t side = 32;      // of the squares in which planes are turned: both sides stay in cache
constexpr std::int64_t long_run = 64;  // bytes, worth a call

/// One plane, seen from where it is copied to.
struct Copy {
  std::byte* to;
  std::int64_t to_row, to_step;
  const std::byte* from;
  std::int64_t from_row, from_step;
};

template <std::size_t width>
void copy_elements(const Copy& copy, std::int64_t rows, std::int64_t count) {
  for (std::int64_t r = 0; r < rows; ++r) {
    std::byte* to = copy.to + r * copy.to_row;
    const std::byte* from = copy.from + r * copy.from_row;
    for (std::int64_t c = 0; c < count; ++c) {
      std::memcpy(to, from, width);
      to += copy.to_step;
      from += copy.from_step;
    }
  }
}

void copy_by_width(const Copy& copy, std::int64_t rows, std::int64_t count, std::int64_t width) {
  switch (width) {
    case 1:
      return copy_elements<1>(copy, rows, count);
    case 2:
      return copy_elements<2>(copy, rows, count);
    case 4:
      return copy_elements<4>(copy, rows, count);
    case 8:
      return copy_elements<8>(copy, rows, count);
    default:
      return copy_elements<16>(copy, rows, count);
  }
}

Copy turned(const Copy& copy) {
  return {copy.to, copy.to_step, copy.to_row, copy.from, copy.from_step, copy.from_row};
}

void copy_plane(Copy copy, std::int64_t rows, std::int64_t count, std::int64_t width) {
  if (copy.to_step == width && copy.from_step == width) {
    const auto bytes = count * width;
    if (rows == 1 || (copy.to_row == bytes && copy.from_row == bytes)) {
      tiles::copy_bytes(copy.to, copy.from, static_cast<std::size_t>(rows * bytes));
      return;
    }
    if (bytes >= long_run) {
      for (std::int64_t r = 0; r < rows; ++r)
        tiles::copy_bytes(copy.to + r * copy.to_row, copy.from + r * copy.from_row,
                          static_cast<std::size_t>(bytes));
      return;
    }
  }
  const bool is_turned = std::abs(copy.from_row) < std::abs(copy.from_step) && rows > 1;
  if (count < side &&
      rows > count) {  // the longer line inside; the few lines beside it share its cache lines
    const auto part = std::max<std::int64_t>(4096 / (count * width), side);
    for (std::int64_t r = 0; r < rows; r += part) {
      const auto some = std::min(part, rows - r);
      Copy piece = copy;
      piece.to += r * copy.to_row;
      piece.from += r * copy.from_row;
      copy_by_width(turned(piece), count, some, width);
    }
    return;
  }
  if (!is_turned) return copy_by_width(copy, rows, count, width);
  for (std::int64_t r = 0; r < rows; r += side)
    for (std::int64_t c = 0; c < count; c += side) {
      Copy square = copy;
      square.to += r * copy.to_row + c * copy.to_step;
      square.from += r * copy.from_row + c * copy.from_step;
      copy_by_width(square, std::min(side, rows - r), std::min(side, count - c), width);
    }
}

}  // namespace

void copy_from_strided(const StridedPlane& plane, std::int64_t rows, std::int64_t count, std::int64_t width) {
  copy_plane({plane.local, plane.local_row, plane.local_step, plane.strided, plane.row_step, plane.step},
             rows, count, width);
}

void copy_to_strided(const StridedPlane& plane, std::int64_t rows, std::int64_t count, std::int64_t width) {
  copy_plane({plane.strided, plane.row_step, plane.step, plane.local, plane.local_row, plane.local_step},
             rows, count, width);
}

}  // namespace gamelan::engine::steps
