// SPDX-License-Identifier: BSD-3-Clause
// Steps whose elements go to places that only data say: take, put, nonzero, counting and searching.
#pragma once
#include <optional>

#include "engine/plan/slot.hpp"

namespace gamelan::engine::plan {

/// out[..., i, ...] = source[..., index[i], ...] along `axis`.
struct Take {
  Operand source, index;
  Dtype index_dtype{};
  int out = -1;
  std::size_t axis = 0;
};

/// target[index[i]] = values[i], first half: every rank takes an even share of the index, in order. It sorts
/// pairs (position, value i) by the buckets of the target's first axis.
struct PartitionUpdates {
  Operand index, values;
  Dtype index_dtype{}, dtype{};
  std::optional<protocol::Scalar> number;  ///< instead of values
  bool carries_rows = false;  ///< a value is a row of many elements: i is sorted in its place, and the row is
                              ///< read where it lies
  std::int64_t count = 0, share = 0;  ///< indices in all, and the most that a rank takes
  distribution::AxisLayout target;    ///< of the axis that the indices run along
  int bucket_shift = 0;               ///< log2 of the positions in a bucket
  int counts = -1, pairs = -1;
};

/// Second half: the owner of a bucket applies what the ranks sorted into it, in the order of the ranks.
struct ApplyUpdates {
  PartitionUpdates partition;
  Operand target;
  std::optional<Op> op;  ///< what is written is op(what stands there, the value)
};

/// target[index[i]] = values[i] in one step, where few ranks share the memory of one node: every rank reads
/// the whole index and writes what is its own.
struct PutOwn {
  Operand index, values, target;
  Dtype index_dtype{}, dtype{};
  std::optional<protocol::Scalar> number;  ///< instead of values
  std::optional<Op> op;                    ///< what is written is op(what stands there, the value)
  std::int64_t count = 0;                  ///< indices
};

/// How many flags of a row are true, run after run of `flags_per_count`. Every rank counts in an even share
/// of the runs. The steps below find their places by these counts, where the ranks share the memory of one
/// node.
struct CountFlags {
  static constexpr std::int64_t flags_per_count = 4096;
  Operand flags;
  std::int64_t count = 0;            ///< flags
  std::int64_t counts_per_rank = 0;  ///< in `counts`, which is one row over all ranks
  int counts = -1;
};

/// out = source[flags], rows along the first axis: every rank reads its block of the result where it lies.
struct TakeAtFlags {
  std::optional<Operand> source;  ///< none: the positions of what is true
  Operand flags, counts;
  int out = -1;
};

/// target[flags] = values, rows along the first axis: every rank writes to its own rows the values that
/// follow those of the rows before.
struct PutAtFlags {
  Operand flags, values, target;
  std::optional<protocol::Scalar> number;  ///< instead of values
  std::optional<Operand> counts;           ///< none: all rows get the same values
  Dtype dtype{};
};

/// The same over several nodes, first half: every rank lists the positions that it finds in an even share of
/// the flags, or the values that stand there.
struct Find {
  Operand flags;
  std::optional<Operand> values;      ///< as long as the flags: listed instead of the positions
  std::int64_t count = 0, share = 0;  ///< flags in all, and the most that a rank looks at
  std::int64_t room = 0;              ///< of a list
  int lists = -1, lengths = -1;
};

/// Second half: the owner of an interval of the result copies it from the lists, taken one after another.
struct Collect {
  Find find;
  Operand lengths;  ///< of all lists
  int out = -1;
};

/// How many elements fall into each bin, first half: every rank counts the elements that it owns.
struct Count {
  Operand input;
  Dtype dtype{};
  std::int64_t bins = 0;
  std::optional<Operand> edges;  ///< of the bins (histogram); else an element is its bin
  int counts = -1;               ///< a table per rank
};

/// Second half: the owner of a bin adds the tables.
struct AddCounts {
  int counts = -1, out = -1;
  int ranks = 1;
};

/// Sums of weights by number (weighted bincount), first half. The row is cut into segments that depend on its
/// length and not on the ranks; every rank fills a table for each of its segments.
struct WeightedCount {
  Operand numbers, weights;
  Dtype numbers_dtype{}, weights_dtype{};
  std::int64_t count = 0, bins = 0;
  std::int64_t segments = 1, length = 0;  ///< how many, and of how many elements
  std::int64_t per_rank = 1;              ///< segments of a rank
  int tables = -1;
};

/// Second half: the owner of a bin adds the tables in the order of the segments.
struct AddWeightedCounts {
  WeightedCount weighted;
  int out = -1;
};

/// Where values would be inserted into a sorted row. Every rank has a copy of the row while it searches.
struct Search {
  Operand table, values;
  Dtype table_dtype{}, values_dtype{}, loop{};
  bool goes_after_equal = false;
  int out = -1;
};

/// Values on the lines through points (points[i], heights[i]). Every rank has a copy of the lines meanwhile.
struct Interpolate {
  Operand points, heights, values;
  Dtype points_dtype{}, heights_dtype{}, values_dtype{};
  int out = -1;
};

/// Where the greatest (or smallest) element of each line along `axis` stands first. Each rank looks through
/// the lines of its block of the result, wherever they lie.
struct ArgLines {
  Operand input;
  Dtype dtype{};
  std::size_t axis = 0;
  std::int64_t piece = 0;  ///< of a row: so many elements have a result of their own; 0: all together
  bool is_max = false;
  int out = -1;
};

/// Eight elements of a row into each byte, or the bits of bytes into a row.
struct PackBits {
  Operand input;
  Dtype dtype{};
  bool packs = false;
  bool is_little = false;  ///< the first element in the lowest bit
  int out = -1;
};

/// Folds of parts of a row, each by the rank that owns its result.
struct FoldSegments {
  Operand values, starts;
  Dtype values_dtype{}, starts_dtype{}, loop{};
  Op op{};
  int out = -1;
};

}  // namespace gamelan::engine::plan
