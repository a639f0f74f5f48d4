// SPDX-License-Identifier: BSD-3-Clause
// Steps along an axis that need an order: running folds (scans), and sort and argsort in runs.
#pragma once
#include "engine/plan/slot.hpp"

namespace gamelan::engine::plan {

/// Running fold along `axis`. A row of one dimension is cut into reduction blocks: element i of reduction
/// block q is (the fold of the reduction blocks before it) op (the fold within it). So the bits do not depend
/// on where the reduction blocks lie. With more dimensions: line by line.
struct Scan {
  Operand input;
  Dtype input_dtype{}, loop{};
  Op op{};
  std::size_t axis = 0;
  std::int64_t block_length = 0;  ///< elements; one dimension only
  Operand totals;                 ///< of every reduction block; slot -1 when one rank has them all
  int out = -1;
};

/// The totals of the reduction blocks before, needed when the reduction blocks lie with several ranks.
struct ScanTotals {
  Scan scan;
  Layout layout;  ///< of the elements
  int totals = -1;
};

/// The memory in which a rank sorts a run: the keys, and for argsort the place of each key in the run, in 32
/// bits where these suffice.
struct RunMemory {
  static constexpr std::int64_t spare_bytes_of_place =
      32;                      ///< of `spare` for each key, where it has a place; else its size
  int keys = -1, places = -1;  ///< slots
  int spare = -1;              ///< slot
  std::int64_t room = 0;       ///< keys that may be sorted at a time: so many find room in `spare`
};

/// Sorts lines along `axis` one by one. Each line lies with one rank. With `places` a line is not sorted:
/// these places, which rise, get what sorting would put there (argsort: where that comes from), with nothing
/// greater before and nothing less behind.
struct SortLines {
  Operand input;
  Dtype dtype{};
  std::size_t axis = 0;
  std::vector<std::int64_t> places;
  RunMemory line;
  int values = -1;  ///< the elements of the block (sort: `out` itself)
  int out = -1;
};

/// Sorts a row, first half: each rank sorts its interval.
struct SortRuns {
  Operand input;
  Dtype dtype{};
  Layout layout;
  RunMemory run;
  bool is_result = false;  ///< sort of one interval: the keys become elements again
};

/// Second half: each rank merges its interval of the result out of all runs. For argsort it notes which run
/// comes next, and how often.
struct MergeRuns {
  SortRuns runs;
  int out = -1;
  int cuts = -1;  ///< argsort: where each run's part of the interval begins and where it ends
};

/// Last part of argsort: the keys are freed by now, which makes room for the places of the whole row. One run
/// needs no merge.
struct CollectPlaces {
  SortRuns runs;
  int order = -1, cuts = -1;  ///< of MergeRuns
  int out = -1;
};

}  // namespace gamelan::engine::plan
