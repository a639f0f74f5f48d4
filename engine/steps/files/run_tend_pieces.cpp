// SPDX-License-Identifier: BSD-3-Clause
// The folder of a checkpoint in the memory of all nodes: made where there is room on each of them, copied
// from node to node, removed. What one node cannot do, all ranks throw.
#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/distribution/bytes_text.hpp"
#include "engine/distribution/pages.hpp"
#include "engine/host_name.hpp"
#include "engine/steps/files/piece_copies.hpp"
#include "engine/steps/files/piece_files.hpp"
#include "engine/steps/files/piece_leases.hpp"
#include "engine/steps/files/piece_messages.hpp"
#include "engine/steps/files/piece_plan.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Error;
using protocol::ErrorKind;
using protocol::PieceAction;

/// A checkpoint takes at most half of what is free on a node. `share`: the part of all bytes that comes
/// here, where each rank writes as many.
void require_room(std::int64_t bytes, double share, bool has_copies) {
  const auto space = distribution::file_system_space("/dev/shm");
  const auto free = std::min(distribution::memory_headroom(),
                             space ? space->free_bytes : std::numeric_limits<std::size_t>::max());
  const auto needed = static_cast<std::uint64_t>(share * static_cast<double>(bytes));
  if (needed <= free / 2) return;
  using distribution::bytes_text;
  throw Error(ErrorKind::memory, "of the arrays " + host_name() + " takes up to " + bytes_text(needed) +
                                     (has_copies ? " with copies; " : "; ") + bytes_text(free) +
                                     " of memory is free there, and checkpoints take half of that at most: "
                                     "name a folder on a disk");
}

void prepare(Comm& comm, const std::string& name, std::int64_t bytes) {
  const auto leaders = leaders_of_all(comm);
  const auto before = ranks_before(comm.rank(), leaders).size();
  const auto here = comm.near_ranks().size() + before;
  comm.throw_together(error_of([&] {
    if (!comm.is_leader()) return;
    make_piece_folder(name);
    PieceLeases::of_process().hold(name);  // first: nobody may have touched it while this process was stopped
    remove_left_pieces();
    require_room(bytes, static_cast<double>(here) / comm.size(), before > 0);
  }));
}

}  // namespace

void run(const StepContext& context, const plan::TendPieces& pieces) {
  auto* receipt = reinterpret_cast<std::int64_t*>(context.own_block(pieces.out));
  receipt[0] = receipt[1] = 0;
  const auto name = protocol::piece_name(context.payload(pieces.payload));
  switch (pieces.action) {
    case PieceAction::prepare:
      return prepare(context.comm(), name, pieces.bytes);
    case PieceAction::copy: {
      const auto copied = copy_pieces(context.comm(), name);
      receipt[0] = copied.pieces;
      receipt[1] = copied.bytes;
      return;
    }
    case PieceAction::remove:
      if (context.comm().is_leader()) remove_pieces(name);
      return;
    case PieceAction::count:
      break;
  }
}

}  // namespace gamelan::engine::steps
