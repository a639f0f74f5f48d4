// SPDX-License-Identifier: BSD-3-Clause
// Running folds of several lines against one element after another with the binary loops, at every
// instruction-set level.
#include "engine/tiles/loops/scan.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/tiles/loops/fold.hpp"
#include "tests/engine/tiles/every_dtype.hpp"

namespace gamelan::engine::tiles {
namespace {

using protocol::Dtype;
using protocol::Op;

/// left op right, one element.
void combine(Op op, Dtype dtype, const std::byte* left, const std::byte* right, std::byte* to) {
  const void* in[] = {left, right};
  std::array<std::byte, 16> result;
  find_loop(op, dtype)(in, result.data(), 1, nullptr);
  std::memcpy(to, result.data(), protocol::size_of(dtype));
}

TEST(Scan, lines_are_scanned_from_the_left) {
  const LevelGuard guard;
  std::mt19937 random(8);
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (const Op op : {Op::add, Op::multiply, Op::maximum, Op::fmin, Op::bitwise_xor})
      for (const Dtype dtype : all_dtypes) {
        if (!can_fold(op, dtype)) continue;
        SCOPED_TRACE(std::string(protocol::info(op).name) + " " + std::string(protocol::info(dtype).name) +
                     " " + std::string(name(level)));
        const std::size_t item = protocol::size_of(dtype);
        for (const std::size_t length : {1U, 2U, 3U, 4U, 5U, 8U, 63U})
          for (const std::size_t lines : {1U, 2U, 3U, 4U, 7U, 8U, 15U}) {
            const Buffer values = random_values(random, dtype, lines * length, -1.5, 1.6);
            const Buffer starts = random_values(random, dtype, lines, -1.5, 1.6);
            Buffer scanned = values, started = values, ends(lines * item);
            for (std::size_t line = 0; line < lines; ++line) {
              const auto at = [&](Buffer& of, std::size_t i) { return &of[(line * length + i) * item]; };
              for (std::size_t i = 1; i < length; ++i)
                combine(op, dtype, at(scanned, i - 1), at(scanned, i), at(scanned, i));
              for (std::size_t i = 0; i < length; ++i)
                combine(op, dtype, &starts[line * item], at(scanned, i), at(started, i));
              std::memcpy(&ends[line * item], at(scanned, length - 1), item);
            }
            const auto count = static_cast<std::int64_t>(lines), extent = static_cast<std::int64_t>(length);
            Buffer got = values;
            scan_lines(op, dtype, got.data(), count, extent, nullptr, got.data());
            ASSERT_EQ(got, scanned) << lines << " lines of " << length;
            scan_lines(op, dtype, values.data(), count, extent, starts.data(), got.data());
            ASSERT_EQ(got, started) << lines << " lines of " << length << " with starts";
            Buffer folds(lines * item);
            fold_lines(op, dtype, values.data(), count, extent, folds.data());
            ASSERT_EQ(folds, ends) << "folds of " << lines << " lines of " << length;
          }
      }
  }
}

}  // namespace
}  // namespace gamelan::engine::tiles
