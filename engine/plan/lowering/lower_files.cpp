// SPDX-License-Identifier: BSD-3-Clause
// From the commands about files to one step each. Every rank reads its own block. Writing is shared out so
// that requests are large: by the array's own blocks where their rows are long in the file, else by rows,
// which ranks read from each other.
#include "engine/plan/lowering/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t long_row_bytes = 64 << 10;

/// The longest contiguous run of bytes in the file, for the largest block of a rank.
std::int64_t row_bytes(const Layout& layout, Dtype dtype) {
  auto bytes = static_cast<std::int64_t>(protocol::size_of(dtype));
  for (std::size_t k = layout.axes.size(); k-- > 0;) {
    bytes *= layout.axes[k].largest_interval();
    if (layout.axes[k].parts > 1) break;
  }
  return bytes;
}

/// A layout that cuts the first axis with more than one index: then the part of a rank is contiguous in the
/// file. A single element belongs to rank 0.
Layout by_rows(const Shape& extents, int ranks) {
  Layout layout;
  layout.grid_size = 1;
  for (const auto extent : extents) layout.axes.push_back({.extent = extent, .template_extent = extent});
  for (auto& axis : layout.axes) {
    if (axis.extent == 1) continue;
    axis.parts = ranks;
    layout.grid_size = ranks;
    break;
  }
  return layout;
}

}  // namespace

Layout layout_of_receipts(const protocol::Command& command, int ranks) {
  const std::int64_t words = 2 * std::int64_t{ranks};
  if (command.out.extents != Shape{words})
    throw protocol::Error(protocol::ErrorKind::protocol, "[" + std::string(protocol::info(command.op).name) +
                                                             "] the result has not two words per rank");
  Layout layout;
  layout.axes = {{.extent = words, .template_extent = words, .parts = ranks}};
  layout.grid_size = ranks;
  return layout;
}

void lower_file(StepWriter& writer, const protocol::Command& command, Step step) {
  if (command.op == Op::read_file) {
    ReadFile file{command.payload,      command.ints[0], {command.ints.begin() + 2, command.ints.end()},
                  command.ints[1] != 0, command.loop,    -1};
    file.out = writer.make(step, command.out.base);
    step.body = std::move(file);
    return writer.finish(std::move(step));
  }
  if (command.op == Op::read_hdf5) {
    ReadHdf5 dataset{command.payload, protocol::hdf5_selection(command), command.loop, -1};
    dataset.out = writer.make(step, command.out.base);
    step.body = std::move(dataset);
    return writer.finish(std::move(step));
  }
  if (command.op == Op::read_zarr) {
    ReadZarr dataset{command.payload,
                     protocol::zarr_selection(command),
                     protocol::zarr_chunks(command),
                     std::get<protocol::Scalar>(command.in[0]),
                     command.loop,
                     -1};
    dataset.out = writer.make(step, command.out.base);
    step.body = std::move(dataset);
    return writer.finish(std::move(step));
  }
  if (command.op == Op::read_pieces) {
    ReadPieces pieces{command.payload, command.loop, -1};
    pieces.out = writer.make(step, command.out.base);
    step.body = pieces;
    return writer.finish(std::move(step));
  }
  if (command.op == Op::tend_pieces) {
    TendPieces pieces{command.payload, static_cast<protocol::PieceAction>(command.ints[0]), command.ints[1],
                      -1};
    pieces.out = writer.make(step, command.out.base);
    step.body = pieces;
    return writer.finish(std::move(step));
  }
  const auto& view = std::get<View>(command.in[0]);
  WriteFile file{
      command.payload, command.ints[0], command.ints[1] != 0, read(writer, view), view.dtype, {}, -1};
  const bool is_known = command.ints[1] == 2;
  if (is_known) file.payload = -1;
  const auto& own = file.input.placement.iterations;
  const bool is_own =
      is_known || (!file.has_checksum && !own.is_replicated && row_bytes(own, view.dtype) >= long_row_bytes);
  file.shares = is_own ? own : by_rows(view.extents, writer.context().options.ranks);
  file.is_in_pieces = command.op == Op::write_pieces;
  file.out = writer.make(step, command.out.base);
  step.body = std::move(file);
  writer.finish(std::move(step));
}

}  // namespace gamelan::engine::plan
