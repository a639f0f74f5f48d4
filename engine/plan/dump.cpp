// SPDX-License-Identifier: BSD-3-Clause
// A plan as text, for np.explain and for the golden plans of the tests: no addresses, nothing that differs
// from run to run.
#include <charconv>
#include <cstring>

#include "engine/plan/plan.hpp"
#include "protocol/distributions.hpp"

namespace gamelan::engine::plan {
namespace {

std::string name(int slot) { return "s" + std::to_string(slot); }

/// The k-th number of type T among the bytes.
template <class T>
std::string number(const protocol::Scalar& scalar, std::size_t k = 0) {
  T value;
  std::memcpy(&value, scalar.bytes.data() + k * sizeof value, sizeof value);
  char text[32];
  return {text, std::to_chars(std::begin(text), std::end(text), value).ptr};
}

/// The number in the fewest digits that distinguish it from its neighbours.
std::string text_of(const protocol::Scalar& scalar) {
  switch (scalar.dtype) {
    case Dtype::bool_:
      return scalar.bytes[0] == std::byte{0} ? "False" : "True";
    case Dtype::int8:
      return number<std::int8_t>(scalar);
    case Dtype::uint8:
      return number<std::uint8_t>(scalar);
    case Dtype::int16:
      return number<std::int16_t>(scalar);
    case Dtype::uint16:
      return number<std::uint16_t>(scalar);
    case Dtype::int32:
      return number<std::int32_t>(scalar);
    case Dtype::uint32:
      return number<std::uint32_t>(scalar);
    case Dtype::int64:
      return number<std::int64_t>(scalar);
    case Dtype::uint64:
      return number<std::uint64_t>(scalar);
    case Dtype::float16:
      return "of 16 bits";
    case Dtype::float32:
      return number<float>(scalar);
    case Dtype::float64:
      return number<double>(scalar);
    case Dtype::complex64:
      return "(" + number<float>(scalar) + ", " + number<float>(scalar, 1) + ")";
    case Dtype::complex128:
      return "(" + number<double>(scalar) + ", " + number<double>(scalar, 1) + ")";
  }
  return {};
}

std::string text_of(const Program& program) {
  std::string text;
  for (const auto& i : program.code) {
    const std::string out = "r" + std::to_string(i.out);
    const auto dtype = std::string(protocol::info(i.loop).name);
    switch (i.kind) {
      case Instruction::Kind::load:
        text += "    " + out + " = load @" + std::to_string(i.operand) + " as " + dtype +
                (i.streams ? " asked for ahead\n" : "\n");
        break;
      case Instruction::Kind::constant:
        text += "    " + out + " = constant " + text_of(i.scalar) + " as " + dtype + "\n";
        break;
      case Instruction::Kind::cast:
        text += "    " + out + " = r" + std::to_string(i.in[0]) + " as " + dtype + "\n";
        break;
      case Instruction::Kind::store:
        text += "    store r" + std::to_string(i.in[0]) + " to @" + std::to_string(i.operand) +
                (i.streams ? " past the cache\n" : "\n");
        break;
      case Instruction::Kind::compute: {
        text += "    " + out + " = " + std::string(protocol::info(i.op).name);
        for (const int in : i.in) text += in >= 0 ? " r" + std::to_string(in) : "";
        text += " in " + dtype + "\n";
      }
    }
  }
  return text;
}

std::string text_of(const FusedLoop& fused) {
  std::string text;
  for (const auto& carry : fused.carries)
    text += "  carry " + name(carry.from) + " to " + name(carry.to) + " around the write\n";
  for (std::size_t i = 0; i < fused.operands.size(); ++i) {
    const auto& operand = fused.operands[i];
    text +=
        "  @" + std::to_string(i) + " " + std::string(protocol::info(fused.program.operands[i]).name) + " ";
    switch (operand.source) {
      case Operand::Source::slot:
        text += name(operand.slot);
        break;
      case Operand::Source::payload:
        text += "payload " + std::to_string(operand.payload);
        break;
      case Operand::Source::scratch:
        text += "values of fold " + std::to_string(operand.fold);
        break;
    }
    text += operand.is_written ? " written" : operand.may_be_remote ? " read, halo" : " read";
    text += "\n";
  }
  text += text_of(fused.program);
  if (!fused.interior) return text;
  return text + "  interior over " + distribution::describe(fused.interior->iterations) + "\n" +
         text_of(*fused.interior);
}

/// One line about a step; several about one with a program.
struct Describe {
  std::string operator()(const Take& take) const {
    return "take " + name(take.source.slot) + " at " + name(take.index.slot) + " along axis " +
           std::to_string(take.axis) + " to " + name(take.out);
  }
  std::string operator()(const PartitionUpdates& partition) const {
    return "partition " + (partition.number ? "a number" : name(partition.values.slot)) + " by " +
           name(partition.index.slot) + " to " + name(partition.pairs);
  }
  std::string operator()(const ApplyUpdates& updates) const {
    return "apply " + name(updates.partition.pairs) + " to " + name(updates.target.slot) +
           (updates.op ? " with " + std::string(protocol::info(*updates.op).name) : "");
  }
  std::string operator()(const PutOwn& put) const {
    return "put " + (put.number ? "a number" : name(put.values.slot)) + " at " + name(put.index.slot) +
           " into " + name(put.target.slot) +
           (put.op ? " with " + std::string(protocol::info(*put.op).name) : "");
  }
  std::string operator()(const CountFlags& count) const {
    return "count what is true in " + name(count.flags.slot) + " to " + name(count.counts);
  }
  std::string operator()(const TakeAtFlags& take) const {
    return "take " + (take.source ? name(take.source->slot) : "the positions") + " where " +
           name(take.flags.slot) + " is true to " + name(take.out);
  }
  std::string operator()(const PutAtFlags& put) const {
    return "put " + (put.number ? "a number" : name(put.values.slot)) + " where " + name(put.flags.slot) +
           " is true into " + name(put.target.slot);
  }
  std::string operator()(const Find& find) const {
    return "find what is true in " + name(find.flags.slot) +
           (find.values ? ", the elements of " + name(find.values->slot) + " there" : "") + " to " +
           name(find.lists);
  }
  std::string operator()(const Collect& collect) const {
    return "collect " + name(collect.find.lists) + " to " + name(collect.out);
  }
  std::string operator()(const ScanTotals& totals) const {
    return "fold blocks of " + std::to_string(totals.scan.block_length) + " of " +
           name(totals.scan.input.slot) + " to " + name(totals.totals);
  }
  std::string operator()(const Scan& scan) const {
    return "scan " + name(scan.input.slot) + " with " + std::string(protocol::info(scan.op).name) +
           " along axis " + std::to_string(scan.axis) + " to " + name(scan.out);
  }
  std::string operator()(const SortLines& sort) const {
    const auto places = sort.places.size();
    return (places == 0 ? "sort" : "select " + std::to_string(places) + " places in") +
           std::string(" lines of ") + name(sort.input.slot) + " along axis " + std::to_string(sort.axis) +
           " to " + name(sort.out);
  }
  std::string operator()(const SortRuns& sort) const {
    return "sort runs of " + name(sort.input.slot) + " to " + name(sort.run.keys) +
           (sort.run.places < 0 ? "" : ", places to " + name(sort.run.places));
  }
  std::string operator()(const MergeRuns& merge) const {
    return "merge " + std::string(merge.cuts < 0 ? "" : "the order of ") + "runs " +
           name(merge.runs.run.keys) + " to " + name(merge.out);
  }
  std::string operator()(const CollectPlaces& collect) const {
    return "collect places " + name(collect.runs.run.places) + " to " + name(collect.out);
  }
  std::string operator()(const Count& count) const {
    return "count " + name(count.input.slot) + " in " + std::to_string(count.bins) + " bins to " +
           name(count.counts);
  }
  std::string operator()(const Routine& routine) const {
    std::string text = "call the routine of payload " + std::to_string(routine.payload) + " with";
    for (const int slot : routine.slots) text += " " + name(slot);
    return text;
  }
  std::string operator()(const AddCounts& add) const {
    return "add counts " + name(add.counts) + " to " + name(add.out);
  }
  std::string operator()(const FourierLines& lines) const {
    return "transform lines of " + name(lines.input.slot) + " along axis " + std::to_string(lines.axis) +
           " to " + name(lines.out);
  }
  std::string operator()(const Draw& draw) const {
    return "draw from " + std::string(protocol::distribution(draw.distribution).name) + " to " +
           name(draw.out);
  }
  std::string operator()(const WholeMatrices& linalg) const {
    return "linalg of whole matrices of " + name(linalg.a.slot) + " to " + name(linalg.out);
  }
  std::string operator()(const SpreadBlocks& spread) const {
    return "spread blocks of " + name(spread.source.slot) + " to " + name(spread.to);
  }
  std::string operator()(const BlockedMatrix& linalg) const {
    return "linalg of all ranks on " + name(linalg.a);
  }
  std::string operator()(const CollectBlocks& collect) const {
    return "collect blocks to " + name(collect.out);
  }
  std::string operator()(const WeightedCount& weighted) const {
    return "weighted count of " + name(weighted.weights.slot) + " by " + name(weighted.numbers.slot) +
           " in " + std::to_string(weighted.segments) + " segments of " + std::to_string(weighted.bins) +
           " bins to " + name(weighted.tables);
  }
  std::string operator()(const AddWeightedCounts& add) const {
    return "add weighted counts " + name(add.weighted.tables) + " to " + name(add.out);
  }
  std::string operator()(const Search& search) const {
    return "search " + name(search.table.slot) + " for " + name(search.values.slot) + " to " +
           name(search.out);
  }
  std::string operator()(const Interpolate& lines) const {
    return "interpolate " + name(lines.values.slot) + " between " + name(lines.points.slot) + " and " +
           name(lines.heights.slot) + " to " + name(lines.out);
  }
  std::string operator()(const MatmulChunks& chunks) const {
    return (*this)(chunks.product, chunks.tables) + " in " + std::to_string(chunks.chunks) + " chunks";
  }
  std::string operator()(const MirrorTiles& mirror) const { return "mirror tiles of " + name(mirror.out); }
  std::string operator()(const AddChunks& add) const {
    return "add chunks " + name(add.chunks.tables) + " to " + name(add.out);
  }
  std::string operator()(const ArgLines& lines) const {
    return std::string(lines.is_max ? "argmax" : "argmin") + " of " + name(lines.input.slot) +
           " along axis " + std::to_string(lines.axis) + " to " + name(lines.out);
  }
  std::string operator()(const PackBits& pack) const {
    return std::string(pack.packs ? "pack" : "unpack") + " bits of " + name(pack.input.slot) + " to " +
           name(pack.out);
  }
  std::string operator()(const FoldSegments& fold) const {
    return "fold segments of " + name(fold.values.slot) + " with " +
           std::string(protocol::info(fold.op).name) + " from " + name(fold.starts.slot) + " to " +
           name(fold.out);
  }
  std::string operator()(const ReadFile& file) const {
    return "read a file from byte " + std::to_string(file.offset) + " on to " + name(file.out);
  }
  std::string operator()(const ReadHdf5& dataset) const {
    return "read an HDF5 dataset to " + name(dataset.out);
  }
  std::string operator()(const ReadZarr& dataset) const {
    return "read a Zarr array to " + name(dataset.out);
  }
  std::string operator()(const WriteFile& file) const {
    if (file.is_in_pieces) return "write " + name(file.input.slot) + " in pieces";
    if (file.payload < 0) return "tell what was summed while " + name(file.input.slot) + " was read";
    return "write " + name(file.input.slot) + " to a file from byte " + std::to_string(file.offset) + " on";
  }
  std::string operator()(const ReadPieces& pieces) const { return "read pieces to " + name(pieces.out); }
  std::string operator()(const TendPieces& pieces) const {
    static constexpr const char* actions[] = {"prepare", "copy", "remove"};
    return std::string(actions[static_cast<std::size_t>(pieces.action)]) + " pieces, told in " +
           name(pieces.out);
  }
  std::string operator()(const FusedLoop& fused) const {
    return "fused loop over " + distribution::describe(fused.iterations) + "\n" + text_of(fused);
  }
  std::string operator()(const FoldBlocks& fold) const {
    std::string text = "fold blocks";
    for (const auto& each : fold.folds)
      text += " with " + std::string(protocol::info(each.op).name) + " into " + name(each.partials) + ",";
    return text + " blocks " + distribution::describe(fold.values.iterations) + "\n" + text_of(fold.values);
  }
  std::string operator()(const FoldFinish& fold) const {
    return "fold " + name(fold.partials) + " with " + std::string(protocol::info(fold.fold).name) + " to " +
           name(fold.output.slot);
  }
  std::string operator()(const RowChain& chain) const {
    std::string text = "chain of rows " + distribution::describe(chain.rows) + "\n";
    for (const auto& part : chain.parts) {
      text += " and " + std::visit(*this, part);
      if (text.back() != '\n') text += '\n';
    }
    return text;
  }
  std::string operator()(const Wavefront& wavefront) const {
    const auto& parts = *wavefront.parts;
    const auto passes = std::to_string(parts.size()) + " passes";
    if (wavefront.is_at_borders) return "the borders of the wavefront of " + passes + "\n";
    std::string text =
        "wavefront of " + passes + ", " + std::to_string(wavefront.together) + " rows at a time\n";
    for (const auto& part : parts) {
      text += " " + std::to_string(part.skew) + " rows behind";
      if (part.top > 0 || part.bottom > 0)
        text += ", without " + std::to_string(part.top) + " and " + std::to_string(part.bottom) +
                " at the borders";
      text += ": " + std::visit(*this, part.pass);
    }
    return text;
  }
  std::string operator()(const Gather& gather) const {
    return "gather " + name(gather.from) + " to " + name(gather.to);
  }
  std::string operator()(const Scatter& scatter) const {
    return "scatter " + name(scatter.from) + " to " + name(scatter.to);
  }
  std::string operator()(const Matmul& matmul) const { return (*this)(matmul, matmul.out); }
  std::string operator()(const Matmul& matmul, int to) const {
    return "matmul " + name(matmul.left.slot) + " by " + name(matmul.right.slot) + " to " + name(to) +
           (matmul.is_halved ? ", half of the tiles" : "");
  }
};

}  // namespace

std::string dump(const Plan& plan) {
  std::string text;
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
    const auto& s = plan.slots[slot];
    text += name(static_cast<int>(slot)) + ": " + std::string(protocol::info(s.info.dtype).name) + " " +
            distribution::describe(s.info.layout) + ", " + std::to_string(block_bytes(s)) +
            " bytes per rank" + (s.is_input ? ", input" : "") +
            (s.rows_kept > 0 ? ", " + std::to_string(s.rows_kept) + " rows at a time" : "") + "\n";
  }
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    const auto& step = plan.steps[n];
    text += "step " + std::to_string(n) + (step.prefix < 0 ? " (no interrupt before it): " : ": ");
    text += std::visit(Describe(), step.body);
    if (text.back() != '\n') text += '\n';
    for (const auto& [slot, to] : step.hands_over) text += "  " + name(slot) + " becomes the copy\n";
    for (const int slot : step.releases) text += "  release " + name(slot) + "\n";
  }
  return text;
}

}  // namespace gamelan::engine::plan
