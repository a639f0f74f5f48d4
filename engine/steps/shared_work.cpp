// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/shared_work.hpp"

#include <sched.h>

#include <algorithm>

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t piece_work = 524'288;  // elements x instructions: some tens of microseconds
constexpr std::int64_t smallest_piece = 4'096, shortest_run = 1'024;  // elements
constexpr std::int64_t fewest_pieces = 4, most_pieces = 64;
constexpr std::int64_t pieces_when_always = 5;

}  // namespace

SharedWork::SharedWork(const StepContext& context, std::int64_t pieces, bool are_shared, Help help)
    : context_(context), pieces_(pieces), help_(std::move(help)), is_open_(are_shared) {
  if (is_open_) context_.board().work_queue(context_.rank()).open(context_.step(), pieces_);
}

void SharedWork::let_others_begin() {
  if (context_.balance() != Balance::always) return;
  sched_yield();
  help_others();
}

SharedWork::~SharedWork() {
  try {
    await_helpers();
  } catch (const std::exception&) {
    // A rank has died: the job ends, and the next wait reports why.
  }
}

std::optional<std::int64_t> SharedWork::take_own() {
  const auto piece = context_.board().work_queue(context_.rank()).take(context_.step());
  if (piece) ++own_;
  return piece;
}

void SharedWork::finish() {
  if (context_.balance() != Balance::off) help_others();
  await_helpers();
}

void SharedWork::help_others() {
  // Only a few ranks of the node are asked, however many there are.
  const auto& near = context_.near_ranks();
  const auto ranks = near.size();
  const auto own =
      static_cast<std::size_t>(std::lower_bound(near.begin(), near.end(), context_.rank()) - near.begin());
  for (const std::size_t place : {own + 1, own + ranks - 1, own + ranks / 2}) {
    const int victim = near[place % ranks];
    if (victim == context_.rank()) continue;
    WorkQueue& queue = context_.board().work_queue(victim);
    while (const auto piece = queue.take(context_.step())) {
      struct Return {  // also when the piece fails: this rank then says so, and the owner must not wait for
                       // ever
        WorkQueue& queue;
        ~Return() { queue.report_done(); }
      } returned{queue};
      help_(victim, *piece);
      ++context_.counters().pieces_helped;
    }
  }
}

void SharedWork::await_helpers() {
  if (!is_open_) return;
  is_open_ = false;
  const auto left = context_.board().work_queue(context_.rank()).close();
  context_.board().await_done(static_cast<std::uint64_t>(pieces_ - own_ - left));
}

Cut cut_for_sharing(const distribution::Box& box, std::size_t instructions, Balance balance) {
  if (balance == Balance::off || box.empty() || is_empty(box)) return {};
  const auto elements = distribution::volume(box);
  std::int64_t pieces = pieces_when_always;
  if (balance != Balance::always) {
    const auto grain = std::max(
        smallest_piece, piece_work / std::max<std::int64_t>(static_cast<std::int64_t>(instructions), 1));
    pieces = std::min(elements / grain, most_pieces);
    if (pieces < fewest_pieces) return {};
  }
  // The outermost axis that gives enough pieces, because then rows stay whole. The last axis is cut into long
  // runs only.
  Cut cut;
  while (cut.axis + 1 < box.size() && box[cut.axis].size() < fewest_pieces) ++cut.axis;
  const auto size = box[cut.axis].size();
  const bool cuts_rows = cut.axis + 1 == box.size() && balance != Balance::always;
  cut.pieces = std::min(pieces, cuts_rows ? size / shortest_run : size);
  return cut.pieces < 2 ? Cut{} : cut;
}

distribution::Box piece_of(const distribution::Box& box, const Cut& cut, std::int64_t piece) {
  distribution::Box part = box;
  const auto first = box[cut.axis].first, size = box[cut.axis].size();
  part[cut.axis] = {first + size * piece / cut.pieces, first + size * (piece + 1) / cut.pieces};
  return part;
}

}  // namespace gamelan::engine::steps
