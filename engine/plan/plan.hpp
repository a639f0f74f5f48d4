// SPDX-License-Identifier: BSD-3-Clause
// A plan is data: slots (versions of storage) and steps over them, in order. Every rank makes the same plan
// from the same batch and takes its own part of each step; nothing in it depends on the rank. `dump` is what
// np.explain shows.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/distribution/cyclic.hpp"
#include "engine/distribution/exchange.hpp"
#include "engine/plan/program.hpp"
#include "protocol/datasets.hpp"
#include "protocol/linalg.hpp"

namespace gamelan::engine::plan {

using dist::Layout;
using protocol::ArrayId;
using protocol::Dtype;
using protocol::Op;
using protocol::Shape;
using protocol::View;

/// How an array is stored: its extents are those of the distribution, which may differ from the notebook's
/// shape (both describe the same C-order elements).
struct ArrayInfo {
  Shape extents;
  Dtype dtype = Dtype::float64;
  Layout layout;
  bool is_chosen = false;  ///< the user said how it lies: it stays so
};

/// One version of an array's storage. Inputs exist before the plan; others are allocated by the step that
/// names them.
struct Slot {
  ArrayId array = 0;
  ArrayInfo info;
  bool is_input = false;
};

/// A box of a slot (or of a payload frame, or scratch of the running step) that a program reads or writes.
struct Operand {
  enum class Source : std::uint8_t { slot, payload, scratch };
  Source source = Source::slot;
  int slot = -1;
  int payload = -1;
  int fold = -1;              ///< for scratch: the fold whose values go there
  dist::Placement placement;  ///< for slots
  bool is_written = false;
  bool may_be_remote = false;  ///< some rank may touch a block of another rank
};

/// One pass over `iterations`. `carry`: before the pass, each rank copies its block of `from` to `to` (a new
/// version of the same array) except for what the pass overwrites. With an interior, another program runs
/// over a box of the iterations, and this one around it.
struct FusedLoop {
  struct Carry {
    int from = -1, to = -1;
    protocol::AxisWise written;
    Shape extents;  ///< of the written view
  };
  Layout iterations;
  Program program;
  std::vector<Operand> operands;
  std::vector<Carry> carries;
  std::shared_ptr<const FusedLoop>
      interior;  ///< its iterations are those of the box, and count from `interior_first`
  Shape interior_first;
};

/// Reductions over the same axes, first half: the program computes the values of each into scratch, reduction
/// block by reduction block (and may store arrays on the way); each reduction block is folded to one element
/// of `partials`, whose axes are the iteration axes, a reduced one counting reduction blocks.
struct FoldBlocks {
  struct Fold {
    Op op{};  ///< the binary op
    Dtype loop{};
    int partials = -1;  ///< slot
    int command = -1;   ///< of the batch, whose floating-point errors the fold's are
  };
  FusedLoop values;           ///< `values.iterations` is the layout of the reduction blocks
  Shape extents;              ///< of the iteration space
  std::vector<bool> reduced;  ///< per axis
  Shape block_extents;                ///< extent per axis; 1 on kept axes
  std::vector<Fold> folds;
  bool is_complete = false;  ///< reduction blocks are folded to one element at once: a reduced axis of
                             ///< `partials` has extent 1
};
/// Reduction, second half: the partials of each output element are folded by a fixed tree and cast to the
/// output.
struct FoldFinish {
  int partials = -1;
  Operand input;  ///< the partials, iteration space = kept axes then reduced axes
  std::size_t kept_axes = 0;
  Layout iterations;  ///< over the kept axes
  Operand output;
  Dtype output_dtype{};  ///< of the written view
  Op fold{};
  Dtype loop{};
  bool is_empty = false;  ///< nothing to fold: the identity
  int command = -1;       ///< as of FoldBlocks::Fold
};
/// General copies for views that are no box of their base: element by element, by address.
struct Gather {
  int from = -1, to = -1;
  View view;  ///< of `from`; `to` is the whole of a new array
};
struct Scatter {
  int from = -1, to = -1;
  View view;                ///< of `to`
  bool to_replica = false;  ///< every rank holds the target, and writes all of it
};
/// The result is computed in tiles of this size, counted from the first element, whatever the blocks: BLAS
/// rounds at the edge of a matrix otherwise than within it.
inline constexpr std::int64_t matmul_tile_rows = 128, matmul_tile_columns = 256;
struct Matmul {
  Operand left, right;  ///< iteration spaces (batch..., m, k) and (batch..., k, n)
  int out = -1;
  Dtype dtype{};
  Shape extents;  ///< of out
  std::int64_t inner = 0;
};

/// out[..., i, ...] = source[..., index[i], ...] along `axis`.
struct Take {
  Operand source, index;
  Dtype index_dtype{};
  int out = -1;
  std::size_t axis = 0;
};
/// target[index[i]] = values[i], first half: every rank takes an even share of the index, in order, and sorts
/// its pairs of position and i-th value by the buckets of the target's first axis.
struct PartitionUpdates {
  Operand index, values;
  Dtype index_dtype{}, dtype{};
  std::optional<protocol::Scalar> number;  ///< instead of values
  bool carries_rows = false;  ///< a value is a row of many elements: i is sorted in its place, and the row is
                              ///< read where it lies
  std::int64_t count = 0, share = 0;  ///< indices in all, and the most that a rank takes
  dist::AxisLayout target;            ///< of the axis that the indices run along
  int bucket_shift = 0;               ///< log2 of the positions in a bucket
  int counts = -1, pairs = -1;
};
/// Second half: the owner of a bucket applies what the ranks sorted into it, in the order of the ranks.
struct ApplyUpdates {
  PartitionUpdates partition;
  Operand target;
  std::optional<Op> op;  ///< what is written is op(what stands there, the value)
};

/// Where a row of flags is true, first half: every rank lists what it finds in an even share of it,
struct Find {
  Operand flags;
  std::int64_t count = 0, share = 0;  ///< flags in all, and the most that a rank looks at
  std::int64_t room = 0;              ///< of a list
  int lists = -1, lengths = -1;
};
/// then the owner of an interval of the result copies it out of the lists, which follow one another.
struct Collect {
  Find find;
  Operand lengths;  ///< of all lists
  int out = -1;
};

/// Running fold along `axis`. A row of one dimension is cut into reduction blocks; element i of reduction
/// block q is the fold of the reduction blocks before it, op the fold within it: the same bits however the
/// reduction blocks lie. More dimensions: line by line.
struct Scan {
  Operand input;
  Dtype input_dtype{}, loop{};
  Op op{};
  std::size_t axis = 0;
  std::int64_t block_length = 0;  ///< elements; one dimension only
  Operand totals;          ///< of every reduction block; slot -1 when one rank has them all
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

/// How many elements fall into each bin: every rank counts what lies with it,
struct Count {
  Operand input;
  Dtype dtype{};
  std::int64_t bins = 0;
  std::optional<Operand> edges;  ///< of the bins (histogram); else an element is its bin
  int counts = -1;               ///< a table per rank
};
/// then the owner of a bin adds the tables.
struct AddCounts {
  int counts = -1, out = -1;
  int ranks = 1;
};

/// A user's routine on arrays as they lie; it may write the first `writes` of them, anywhere.
struct Routine {
  int payload = -1;  ///< its name
  std::vector<int> slots;
  int writes = 0;
  std::vector<double> numbers;
};
/// Lines along `axis`, which lie with one rank each, transformed one by one (protocol/fourier.hpp).
struct FourierLines {
  Operand input;
  Dtype dtype{};
  std::size_t axis = 0;
  std::int64_t kind = 0, length = 0, period = 0;
  double factor = 1;
  int out = -1;
};
/// Random numbers of a distribution; each parameter is an operand or a number.
struct Draw {
  struct Parameter {
    std::optional<Operand> operand;
    Dtype dtype{};
    double number = 0;
  };
  int distribution = 0;
  std::uint64_t key = 0, offset = 0;
  std::vector<Parameter> parameters;
  int out = -1;
};
/// Linear algebra on whole matrices: each rank does those whose results lie with it.
struct WholeMatrices {
  protocol::Linalg routine{};
  Operand a, b;  ///< b of solve only, else slot -1
  Dtype a_dtype{}, b_dtype{}, loop{};
  bool flag = false;        ///< eigh: the lower triangle counts
  int work = -1, out = -1;  ///< work: room for one matrix of each kind
};
/// One large matrix, first part: every rank takes its blocks of an operand, as ScaLAPACK lays them out.
struct SpreadBlocks {
  Operand source;
  Dtype dtype{}, loop{};
  dist::Cyclic blocks;
  int to = -1;
};
/// A matrix among the results that ScaLAPACK leaves in a slot, and where it goes in the result of the
/// command.
struct BlockedResult {
  int slot = -1;
  std::int64_t offset = 0;  ///< elements from the start of a rank's block of the slot
  dist::Cyclic blocks;
  std::int64_t first_row = 0;
  bool is_transposed = false;  ///< goes there with rows and columns exchanged
  bool is_lower = false;       ///< zeros above the diagonal, there
};
/// Second part: the routine. All ranks call it together or none does.
struct BlockedMatrix {
  protocol::Linalg routine{};
  Dtype loop{};
  bool flag = false;
  dist::Cyclic a_blocks, b_blocks;
  int a = -1, b = -1, made = -1;  ///< slots; b of solve only, made of what does not end in them
  std::vector<BlockedResult> results;
};
/// Third part: every rank takes its block of the result from those who have it.
struct CollectBlocks {
  std::vector<BlockedResult> results;
  Dtype loop{};
  int out = -1;
};
/// Sums of weights by number, in segments of the row that its length decides and not the ranks: every rank
/// has a table for each of its segments,
struct WeightedCount {
  Operand numbers, weights;
  Dtype numbers_dtype{}, weights_dtype{};
  std::int64_t count = 0, bins = 0;
  std::int64_t segments = 1, length = 0;  ///< so many, of so many elements
  std::int64_t per_rank = 1;              ///< segments of a rank
  int tables = -1;
};
/// then the owner of a bin adds the tables by rising segment.
struct AddWeightedCounts {
  WeightedCount weighted;
  int out = -1;
};

/// Where values go in a sorted row, of which every rank has a copy while it searches.
struct Search {
  Operand table, values;
  Dtype table_dtype{}, values_dtype{}, loop{};
  bool goes_after_equal = false;
  int out = -1;
};
/// Every rank reads its block of a new array from a file whose path is a payload.
struct ReadFile {
  int payload = -1;
  std::int64_t offset = 0;
  Shape strides;  ///< bytes in the file, per axis
  bool is_swapped = false;
  Dtype dtype{};
  int out = -1;
};
/// Every rank reads its block of a part of an HDF5 dataset, which may stand in chunks and be compressed.
struct ReadHdf5 {
  int payload = -1;
  protocol::Selection part;
  Dtype dtype{};
  int out = -1;
};
/// Every rank reads the chunks of a Zarr array that its block of the result touches.
struct ReadZarr {
  int payload = -1;
  protocol::Selection part;
  protocol::ZarrChunks chunks;
  protocol::Scalar filling;  ///< what chunks hold that have no file
  Dtype dtype{};
  int out = -1;
};
/// Every rank writes its share of the elements, which stand in the file in C order.
struct WriteFile {
  int payload = -1;
  std::int64_t offset = 0;
  bool has_checksum = false;
  Operand input;
  Dtype dtype{};
  Layout shares;  ///< who writes what
  int out = -1;
};

struct Step {
  std::variant<FusedLoop, FoldBlocks, FoldFinish, Gather, Scatter, Matmul, Take, PartitionUpdates,
               ApplyUpdates, Find, Collect, ScanTotals, Scan, SortLines, SortRuns, MergeRuns, CollectPlaces,
               Count, AddCounts, FourierLines, Draw, Routine, WholeMatrices, SpreadBlocks, BlockedMatrix,
               CollectBlocks, WeightedCount, AddWeightedCounts, Search, ReadFile, ReadHdf5, ReadZarr,
               WriteFile>
      body;
  std::vector<int> allocates;  ///< slots that come to life before the step
  std::vector<int> binds;      ///< slots that become their array's current version after it
  struct HandOver {
    int slot;
    ArrayId to;
  };
  std::vector<HandOver>
      hands_over;             ///< slots that another array owns after it: a copy that needed no copying
  std::vector<int> releases;  ///< slots whose last use this is
  int command = -1;           ///< the last batch command it completes, for error messages
  std::vector<int> commands;  ///< every command it completes
  std::vector<dist::RemoteRead>
      remote_reads;  ///< what it reads of other ranks' blocks, as far as the plan knows; several nodes only
  int prefix =
      -1;  ///< a run may end before it: exactly so many commands of the batch have happened; -1: it may not
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<Step> steps;
};

/// Bytes of a slot's largest block, the size that every rank reserves.
std::size_t block_bytes(const Slot& slot);
/// What an irregular step (Take, ...) touches; nothing for the others.
struct Use {
  int slot;
  bool is_written, may_be_remote;
};
std::vector<Use> irregular_uses(const Step& step);
/// Must every rank run it, and at the same time? Then none does when one has failed before.
inline bool is_collective(const Step& step) {
  return std::holds_alternative<Routine>(step.body) || std::holds_alternative<BlockedMatrix>(step.body);
}
/// One line about an irregular step.
std::string describe_irregular(const Step& step);
/// Slots that a step reads or writes.
std::vector<int> slots_of(const Step& step);
/// Readable text: one line per slot and step, programs indented.
std::string dump(const Plan& plan);

}  // namespace gamelan::engine::plan
