// SPDX-License-Identifier: BSD-3-Clause
// Reductions, first half. Values are computed into scratch region by region; a region holds whole reduction
// blocks, and each reduction block is folded in an order that depends on the array's extents alone. With the
// fixed tree of the second half (run_fold_finish.cpp), the bits do not depend on how many ranks there are.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/box_runner.hpp"
#include "engine/steps/carry.hpp"
#include "engine/steps/folds/block_folds.hpp"
#include "engine/steps/folds/fold_regions.hpp"
#include "engine/steps/folds/fold_values.hpp"
#include "engine/steps/folds/lane_folds.hpp"
#include "engine/steps/folds/masked_sums.hpp"
#include "engine/steps/folds/moment_blocks.hpp"
#include "engine/steps/folds/product_factors.hpp"
#include "engine/steps/row_pass.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/steps/shared_work.hpp"
#include "engine/tiles/float_errors.hpp"
#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/loops/fold.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using distribution::extents_of;
using distribution::Layout;
using protocol::Shape;

constexpr std::int64_t scratch_bytes = 131'072;  // of the values of a region: half a small second-level cache
constexpr std::int64_t fewest_elements = 8192, region_elements = 16'384;  // of a region of computed values
constexpr std::int64_t lane_region_elements = 65'536;  // most values are folded at once, and written nowhere
constexpr std::int64_t lane_regions = 5;               // but enough regions for the ranks to end at one time
constexpr std::int64_t plain_region_elements =
    131'072;  // when nothing is computed: scratch is mostly the partials
constexpr std::int64_t product_region_elements =
    131'072;  // scratch is needed where floating-point errors are met
constexpr std::int64_t fewest_shared_regions = 4;
constexpr std::int64_t shortest_row = 16;  // that is added to another where it lies

class BlockFolder {
 public:
  BlockFolder(const StepContext& context, const plan::FoldBlocks& fold)
      : context_(context),
        fold_(fold),
        whole_(context, fold.values, fold.extents),
        values_(context, fold, whole_),
        dims_(fold.extents.size()),
        scratch_(fold.folds.size()),
        targets_(fold.folds.size()),
        factors_(context, fold, whole_),
        masked_(context, fold, whole_),
        lanes_(context, fold, values_, whole_) {
    for (std::size_t f = 0; f < fold.folds.size(); ++f)
      scratch_[f].item = static_cast<std::int64_t>(protocol::size_of(fold.folds[f].loop));
    for (auto& scratch : scratch_) partials_.push_back(&scratch.partials);
    find_truths();
    find_plain_operands();
  }

  /// Copies operands that the elements of this rank's part share. To be called first.
  void copy_shared() {
    const FoldRegions mine = regions_of(context_.rank());
    const bool is_one_program =
        !fold_.values.interior && !factors_.exist() && !masked_.exist() && plain_.empty();
    if (mine.count() > 0 && is_one_program) whole_.copy_shared(elements_of(mine.blocks()));
  }

  /// Folds whole rows of a rank's part.
  void run_rows(const distribution::Interval& rows, int owner) {
    Box region = fold_.values.iterations.box(owner);
    region.front() = rows;
    fold_region(region, owner);
  }

  void run() {
    const FoldRegions mine = regions_of(context_.rank());
    if (factors_.exist() && mine.count() > 0) factors_.copy_shared(elements_of(mine.blocks()));
    copy_shared();
    SharedWork work(context_, mine.count(), may_share(mine), [this](int owner, std::int64_t piece) {
      fold_region(regions_of(owner).region(piece), owner);
    });
    std::vector<Box> later;
    const auto fold_if_local = [&](std::int64_t number) {
      Box region = mine.region(number);
      // What is local comes first, which gives the neighbours time to finish their part.
      if (!is_here(elements_of(region))) cut_edges(region, later);
      if (is_here(elements_of(region)))
        fold_region(region, context_.rank());
      else
        later.push_back(std::move(region));
      context_.progress();
    };
    work.run(fold_if_local);
    for (const auto& region : later) {
      fold_region(region, context_.rank());
      context_.progress();
    }
    work.finish();
  }

 private:
  FoldRegions regions_of(int rank) const {
    if (factors_.exist()) return FoldRegions(fold_, rank, product_region_elements);
    if (!plain_.empty() && lies_with(rank)) return FoldRegions(fold_, rank, plain_region_elements);
    if (lanes_.exist())
      return FoldRegions(fold_, rank,
                         std::clamp(elements_of(rank) / lane_regions, region_elements, lane_region_elements));
    std::int64_t bytes = 0;
    for (const auto& scratch : scratch_) bytes += scratch.value_bytes();
    return FoldRegions(fold_, rank, std::clamp(scratch_bytes / bytes, fewest_elements, region_elements));
  }
  /// True when most of the elements of a rank's part have all their operands with that rank. The others are
  /// copied, and folded while they are in cache: few at a time.
  bool lies_with(int rank) const {
    const auto& layout = fold_.values.iterations;
    if (!layout.takes_part(rank)) return true;
    const Box part = elements_of(layout.box(rank));
    return 4 * volume(whole_.local_part(rank, part)) >= 3 * volume(part);
  }
  /// How many elements a rank's part has.
  std::int64_t elements_of(int rank) const {
    const auto& layout = fold_.values.iterations;
    return layout.takes_part(rank) ? volume(elements_of(layout.box(rank))) : 0;
  }
  bool may_share(const FoldRegions& regions) const {
    if (context_.balance() == Balance::off || fold_.values.iterations.is_replicated ||
        regions.count() > WorkQueue::max_items)
      return false;
    if (context_.reads_remote()) return false;  // who helps would not find it in its own ghost buffers
    return regions.count() >= fewest_shared_regions || context_.balance() == Balance::always;
  }

  /// True when what these elements are computed from lies with this rank, or a copy of it.
  bool is_here(const Box& elements) {
    return values_.is_local(elements) || factors_.at(elements) || masked_.are_at(elements);
  }

  /// Moves the outermost reduction blocks that reach into a neighbour's part from `region` to `later`, where
  /// all others can then be folded where they lie.
  void cut_edges(Box& whole, std::vector<Box>& later) {
    Box region = whole;
    std::vector<Box> edges;
    for (std::size_t k = 0; k < dims_; ++k) {
      if (fold_.is_complete && fold_.reduced[k]) continue;  // these blocks are folded together
      for (const bool is_first : {true, false}) {
        if (is_empty(region)) return;
        Box edge = region;
        edge[k] = is_first ? distribution::Interval{region[k].first, region[k].first + 1}
                           : distribution::Interval{region[k].last - 1, region[k].last};
        if (is_here(elements_of(edge))) continue;
        (is_first ? region[k].first : region[k].last) += is_first ? 1 : -1;
        edges.push_back(std::move(edge));
      }
    }
    if (is_empty(region) || !is_here(elements_of(region))) return;
    whole = std::move(region);
    std::move(edges.begin(), edges.end(), std::back_inserter(later));
  }

  /// The values of one fold over a region, then its partials.
  struct Scratch {
    std::int64_t item = 0;    ///< bytes of a partial but for moments, and of a value unless
    bool are_truths = false;  ///< the values are bytes to be counted
    std::int64_t value_bytes() const { return are_truths ? 1 : item; }
    std::byte* memory = nullptr;        ///< of the workspace
    const std::byte* values = nullptr;  ///< in `memory`, or where the operand lies
    std::vector<std::byte> partials;
    Shape strides;  ///< of `values`
  };

  /// The planner leaves truth values that are to be summed as they are (lower.cpp).
  void find_truths() {
    const auto& operands = fold_.values.operands;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].source == plan::Operand::Source::scratch) {
        const auto f = static_cast<std::size_t>(operands[i].fold);
        scratch_[f].are_truths = fold_.values.program.operands[i] == protocol::Dtype::bool_ &&
                                 fold_.folds[f].loop != protocol::Dtype::bool_;
      }
  }

  /// When nothing is computed (`a.sum()`), the elements are folded where they lie.
  void find_plain_operands() {
    if (fold_.values.interior) return;
    const auto& program = fold_.values.program;
    std::vector<int> loaded(program.registers.size(), -1), plain(fold_.folds.size(), -1);
    for (const auto& each : program.code) {
      const auto operand = static_cast<std::size_t>(each.operand);
      if (each.kind == tiles::Instruction::Kind::load &&
          fold_.values.operands[operand].source == plan::Operand::Source::slot &&
          each.loop == program.operands[operand])
        loaded[static_cast<std::size_t>(each.out)] = each.operand;
      else if (each.kind == tiles::Instruction::Kind::store &&
               fold_.values.operands[operand].source == plan::Operand::Source::scratch)
        plain[static_cast<std::size_t>(fold_.values.operands[operand].fold)] =
            loaded[static_cast<std::size_t>(each.in[0])];
      else
        return;
    }
    if (std::count(plain.begin(), plain.end(), -1) == 0) plain_ = std::move(plain);
  }

  /// Folds the products of two operands where they lie. False where they lie otherwise, and where the
  /// processor met a floating-point error: then the region is computed step by step, which finds the command.
  bool fold_products(const Box& elements, const Shape& extents, const Shape& grid) {
    const auto places = factors_.at(elements);
    if (!places) return false;
    const auto& [left, right] = *places;
    tiles::float_errors().clear();
    fold_blocks(fold_, fold_.folds[0],
                {left.first, left.strides, extents, grid, false, false, right.first, &right.strides},
                scratch_[0].partials);
    return tiles::float_errors().look() == 0;
  }

  /// The same for the rows that masks name, of all folds.
  bool add_masked(const Box& elements) {
    if (!masked_.are_at(elements)) return false;
    tiles::float_errors().clear();
    masked_.add(elements, partials_);
    return tiles::float_errors().look() == 0;
  }

  /// True for elements that can be folded where they lie: rows that are added to each other, however far
  /// apart, or reduction blocks that are runs of consecutive memory.
  bool suits_folds(const Shape& strides, const Shape& extents, std::int64_t item) const {
    const Shape packed = protocol::contiguous_strides(extents, static_cast<std::size_t>(item));
    std::int64_t row = 1;  // neighbours that are kept
    for (auto k = dims_; k > 0 && !fold_.reduced[k - 1] && strides[k - 1] == packed[k - 1]; --k)
      row *= extents[k - 1];
    for (std::size_t k = 0; k < dims_; ++k)
      if (strides[k] != packed[k] && (k + 1 == dims_ || (fold_.block_extents[k] > 1 && row < shortest_row)))
        return false;
    return true;
  }

  /// True when the folds can read the elements where they lie.
  bool point_at_operands(const Box& elements, const Shape& extents) {
    if (plain_.empty() || !whole_.is_local(elements)) return false;
    for (std::size_t f = 0; f < scratch_.size(); ++f) {
      const auto operand = static_cast<std::size_t>(plain_[f]);
      auto piece = whole_.piece_of(operand, elements);
      if (!suits_folds(piece.strides, extents, scratch_[f].value_bytes())) return false;
      scratch_[f].values = context_.address(fold_.values.operands[operand], piece);
      scratch_[f].strides = std::move(piece.strides);
    }
    return true;
  }

  Box elements_of(const Box& region) const {
    Box elements(dims_);
    for (std::size_t k = 0; k < dims_; ++k)
      elements[k] = {region[k].first * fold_.block_extents[k],
                     std::min(region[k].last * fold_.block_extents[k], fold_.extents[k])};
    return elements;
  }

  void fold_region(const Box& region, int owner) {
    const Box elements = elements_of(region);
    const Shape extents = extents_of(elements), grid = extents_of(region);
    if (fold_products(elements, extents, grid))
      return store_partials(fold_.folds[0], scratch_[0], region, owner);
    if (add_masked(elements)) return store_all(region, owner);
    const bool is_computed = !point_at_operands(elements, extents);
    if (is_computed) {
      prepare(extents);
      if (lanes_.fold(elements, grid, owner, targets_, partials_)) return store_all(region, owner);
      values_.compute(elements, owner, targets_);
    }
    tiles::float_errors().clear();
    for (std::size_t f = 0; f < scratch_.size(); ++f) {
      auto& scratch = scratch_[f];
      const ReductionBlocks blocks{scratch.values, scratch.strides,    extents,
                                   grid,           scratch.are_truths, is_computed};
      if (plan::has_moments(fold_.folds[f].op)) {
        store_moments(fold_.folds[f], blocks, region, owner);
        continue;
      }
      fold_blocks(fold_, fold_.folds[f], blocks, scratch.partials);
      tiles::note_fold(fold_.folds[f].op, fold_.folds[f].loop, fold_.folds[f].command);
      store_partials(fold_.folds[f], scratch_[f], region, owner);
    }
  }

  /// Takes scratch memory for values, in C order.
  void prepare(const Shape& extents) {
    for (std::size_t f = 0; f < scratch_.size(); ++f) {
      auto& scratch = scratch_[f];
      scratch.memory = context_.workspace().at_least(
          static_cast<std::size_t>(protocol::element_count(extents) * scratch.value_bytes()), f);
      scratch.values = scratch.memory;
      scratch.strides =
          protocol::contiguous_strides(extents, static_cast<std::size_t>(scratch.value_bytes()));
      targets_[f] = {scratch.memory, scratch.strides.data()};
    }
  }

  /// Where the partials of a region go in the owner's block.
  struct Target {
    std::byte* address;
    Shape extents, strides;
    bool is_adjacent;  ///< in C order, with nothing between them
  };
  Target target_of(int slot, const Layout& layout, const Box& part, std::size_t item, int owner) const {
    const Box block = layout.box(owner);
    const Shape block_extents = extents_of(block);
    Target target{nullptr, extents_of(part), protocol::contiguous_strides(block_extents, item), false};
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < part.size(); ++k)
      offset += (part[k].first - block[k].first) * target.strides[k];
    target.address = context_.block(slot, owner) + offset;
    target.is_adjacent = !part.empty() && std::equal(target.extents.begin() + 1, target.extents.end(),
                                                     block_extents.begin() + 1);
    return target;
  }
  static void store(protocol::Dtype dtype, const std::byte* from, const Target& to) {
    const auto item = protocol::size_of(dtype);
    if (to.is_adjacent)
      std::memcpy(to.address, from, static_cast<std::size_t>(protocol::element_count(to.extents)) * item);
    else
      copy_box(dtype, dtype, to.extents, from, protocol::contiguous_strides(to.extents, item), to.address,
               to.strides);
  }

  /// The region's box of the partials, but for the axis of moments.
  Box partials_of(Box region) const {
    for (std::size_t k = 0; k < dims_; ++k)
      if (fold_.is_complete && fold_.reduced[k]) region[k] = {0, 1};
    return region;
  }

  void store_all(const Box& region, int owner) {
    for (std::size_t f = 0; f < scratch_.size(); ++f)
      store_partials(fold_.folds[f], scratch_[f], region, owner);
  }

  void store_partials(const plan::FoldBlocks::Fold& fold, const Scratch& scratch, const Box& region,
                      int owner) {
    const auto& layout = fold.is_result ? fold_.kept : context_.info(fold.partials).layout;
    store(
        fold.loop, scratch.partials.data(),
        target_of(fold.partials, layout, partials_of(region), static_cast<std::size_t>(scratch.item), owner));
  }

  void store_moments(const plan::FoldBlocks::Fold& fold, const ReductionBlocks& blocks, const Box& region,
                     int owner) {
    Box part = partials_of(region);
    part.insert(part.begin() + static_cast<std::ptrdiff_t>(plan::moments_axis(fold_.reduced)),
                {0, plan::moment_parts});
    const auto to =
        target_of(fold.partials, context_.info(fold.partials).layout, part, sizeof(double), owner);
    if (!to.is_adjacent) moments_.resize(static_cast<std::size_t>(protocol::element_count(to.extents)));
    auto* const records = to.is_adjacent ? reinterpret_cast<double*>(to.address) : moments_.data();
    moments_of_blocks(fold_, fold, blocks, records);
    tiles::float_errors().clear();  // nobody is told of them
    if (!to.is_adjacent) store(protocol::Dtype::float64, reinterpret_cast<const std::byte*>(records), to);
  }

  const StepContext& context_;
  const plan::FoldBlocks& fold_;
  BoxRunner whole_;
  FoldValues values_;
  std::size_t dims_;
  std::vector<Scratch> scratch_;         // by fold
  std::vector<double> moments_;          // of a region, where they do not lie together
  std::vector<tiles::Pointer> targets_;  // by fold: its scratch
  ProductFactors factors_;
  MaskedSums masked_;
  LaneFolds lanes_;
  std::vector<std::vector<std::byte>*> partials_;  // by fold
  std::vector<int> plain_;  // by fold: the operand that it folds as it lies; empty when something is computed
};

}  // namespace

void run(const StepContext& context, const plan::FoldBlocks& fold) {
  for (const auto& each : fold.values.carries) carry(context, each);
  if (protocol::element_count(fold.extents) == 0) return;
  BlockFolder(context, fold).run();
}

std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::FoldBlocks& fold) {
  struct Pass : RowPass {
    Pass(const StepContext& context, const plan::FoldBlocks& fold) : folder(context, fold) {}
    void copy_shared() override { folder.copy_shared(); }
    void run(const distribution::Interval& rows, int owner) override { folder.run_rows(rows, owner); }
    BlockFolder folder;
  };
  return std::make_unique<Pass>(context, fold);
}

}  // namespace gamelan::engine::steps
