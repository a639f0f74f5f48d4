// SPDX-License-Identifier: BSD-3-Clause
// Steps along an axis that need an order: running folds, and sort and argsort in runs.
#pragma once
#include "engine/plan/slot.hpp"

namespace gamelan::engine::plan {

/// Running fold along `axis`. A row of one dimension is cut into reduction blocks; element i of reduction
/// block q is the fold of the reduction blocks before it, op the fold within it: the same bits however the
/// reduction blocks lie. More dimensions: line by line.
struct Scan {
  Operand input;
  Dtype input_dtype{}, loop{};
  Op op{};
  std::size_t axis = 0;
  std::int64_t block_length = 0;  ///< elements; one dimension only
  Operand totals;                 ///< of every reduction block; slot -1 when one rank has them all
  int out = -1;
};

/// What comes before it when the reduction blocks lie with several ranks.
struct ScanTotals {
  Scan scan;
  Layout layout;  ///< of the elements
  int totals = -1;
};

/// What a rank needs to sort a run: the keys, and for argsort where in the run each was, of 32 bits where
/// these suffice.
struct RunMemory {
  static constexpr std::int64_t spare_bytes_of_place =
      32;                      ///< of `spare` for each key, where it has a place; else its size
  int keys = -1, places = -1;  ///< slots
  int spare = -1;              ///< slot
  std::int64_t room = 0;       ///< keys that may be sorted at a time: so many find room in `spare`
};

/// Lines along `axis`, which lie with one rank each, sorted one by one.
struct SortLines {
  Operand input;
  Dtype dtype{};
  std::size_t axis = 0;
  RunMemory line;
  int values = -1;  ///< the elements of the block (sort: `out` itself)
  int out = -1;
};

/// A row: each rank sorts its interval,
struct SortRuns {
  Operand input;
  Dtype dtype{};
  Layout layout;
  RunMemory run;
  bool is_result = false;  ///< sort of one interval: the keys become elements again
};

/// then merges its interval of the result out of all runs, or for argsort says which run comes next, and how
/// often.
struct MergeRuns {
  SortRuns runs;
  int out = -1;
  int cuts = -1;  ///< argsort: where each run's part of the interval begins and where it ends
};

/// By then the keys are gone, and there is room for places in the whole row. One run needs no merge.
struct CollectPlaces {
  SortRuns runs;
  int order = -1, cuts = -1;  ///< of MergeRuns
  int out = -1;
};

}  // namespace gamelan::engine::plan
