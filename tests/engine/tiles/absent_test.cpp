// SPDX-License-Identifier: BSD-3-Clause
// A build for one machine (GAMELAN_LEVELS=native) has absent.cpp in the place of most loops. Here it stands
// for every loop that it can stand for, at every level, beside the real look-up; the element-wise loops of
// the baseline, which every build has, are the two below. So each look-up must fall back to them, or say what
// is missing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/loops/elementwise_tables.hpp"
#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/loops/masked_rows.hpp"
#include "engine/tiles/loops/scan.hpp"
#include "engine/tiles/loops/split_columns.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::tiles {

using protocol::Dtype;
using protocol::ErrorKind;
using protocol::Op;

namespace baseline {

void of_baseline(const void* const*, void*, std::size_t, const NullaryParams*) {}

Loop loops_of_small_integers(Op, Dtype, Single) { return of_baseline; }
Loop loops_of_large_integers(Op, Dtype, Single) { return of_baseline; }
Loop loops_of_reals(Op op, Dtype, Single) { return op == Op::add ? of_baseline : nullptr; }
Loop loops_of_complexes(Op, Dtype, Single) { return of_baseline; }

}  // namespace baseline

namespace {

/// The levels that this processor runs and this build claims to have.
std::vector<Isa> levels() {
  std::vector<Isa> found;
  for (const Isa level : {Isa::avx2, Isa::avx512})
    if (level <= best_isa()) found.push_back(level);
  EXPECT_FALSE(found.empty()) << "this processor has no AVX2: nothing is tested";
  return found;
}

TEST(Absent, element_wise_loops_fall_back_to_the_baseline) {
  for (const Isa level : levels()) {
    SCOPED_TRACE(name(level));
    set_isa(level);
    for (const Dtype dtype : {Dtype::bool_, Dtype::int16, Dtype::int64, Dtype::float64, Dtype::complex128})
      EXPECT_EQ(find_loop(Op::add, dtype), &baseline::of_baseline) << protocol::info(dtype).name;
    EXPECT_EQ(find_loop(Op::subtract, Dtype::float64), nullptr) << "no level has it";
  }
}

TEST(Absent, what_only_saves_time_is_not_found) {
  for (const Isa level : levels()) {
    SCOPED_TRACE(name(level));
    set_isa(level);
    EXPECT_EQ(find_pair_loop({}, Dtype::float64, 0), nullptr);
    EXPECT_EQ(find_add_masked_rows(Dtype::float64), nullptr);
    EXPECT_EQ(find_add_grouped_rows(Dtype::float64), nullptr);
    EXPECT_EQ(find_split_columns(8, 4), nullptr);
  }
}

/// The message of the error that `call` ends in.
template <class Call>
std::string error_of(ErrorKind kind, const Call& call) {
  try {
    call();
  } catch (const protocol::Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

TEST(Absent, folds_and_scans_say_what_is_missing) {
  double values[4] = {1, 2, 3, 4}, out[4] = {};
  for (const Isa level : levels()) {
    SCOPED_TRACE(name(level));
    set_isa(level);
    EXPECT_FALSE(can_fold(Op::add, Dtype::float64));
    EXPECT_EQ(identity(Op::add, Dtype::float64), std::nullopt);
    EXPECT_EQ(error_of(ErrorKind::internal, [&] { fold_runs(Op::add, Dtype::float64, values, 1, 4, out); }),
              "[add] does not fold over float64");
    EXPECT_EQ(error_of(ErrorKind::internal,
                       [&] { scan_lines(Op::add, Dtype::float64, values, 1, 4, nullptr, out); }),
              "[add] does not accumulate over float64");
  }
  EXPECT_EQ(find_cast(Dtype::float64, Dtype::float32), nullptr);
}

TEST(Absent, a_machine_below_the_lowest_level_is_refused) {
  const auto said = error_of(ErrorKind::os, [] { set_isa(Isa::baseline); });
  EXPECT_NE(said.find("built for machines with avx2"), std::string::npos) << said;
  EXPECT_NE(said.find("build with -DGAMELAN_LEVELS=all"), std::string::npos) << said;
}

}  // namespace
}  // namespace gamelan::engine::tiles
