// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/board.hpp"

#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "engine/assert.hpp"
#include "engine/nodes/tree_messages.hpp"

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

Board::Board(Comm& comm, distribution::Heap& heap, const nodes::Settings& settings)
    : comm_(comm), node_(comm, heap), stopped_(node_.other_processes()) {
  std::optional<Error> problem;
  try {
    if (!comm.is_one_node() && comm.is_leader())
      tree_messages_ = std::make_unique<nodes::TreeMessages>(comm, node_, settings);
  } catch (const Error& error) {
    std::fprintf(stderr, "gamelan-engine: %s\n",
                 error.what());  // of several problems the user is told one
    problem = error;
  }
  comm.throw_together(problem);
  if (tree_messages_) tree_messages_->start();
  comm.set_watch([this] { check_alive(); });
}

Board::~Board() { comm_.set_watch({}); }

Bytes Board::exchange(Bytes mine) {
  const std::uint64_t message = ++exchanged_;
  std::uint64_t length = mine.size();
  if (comm_.rank() == 0) {
    const std::span<const std::byte> bytes =
        length <= NodeBoard::slot_bytes ? std::span<const std::byte>(mine) : std::span<const std::byte>();
    if (tree_messages_) {
      if (untold_) tree_messages_->tell_failure(untold_->first, untold_->second);
      untold_.reset();
      tree_messages_->post(message, length, bytes);
    }
    node_.post(message, length, bytes);
  } else {
    auto posted = node_.take(message);
    length = posted.length;
    mine = std::move(posted.bytes);
  }
  return length <= NodeBoard::slot_bytes ? mine : comm_.broadcast(std::move(mine));
}

void Board::settle(std::uint64_t step, std::uint64_t batch) {
  if (!comm_.is_leader()) return;
  if (comm_.rank() != 0 && !tree_messages_) return;
  for (const int rank : comm_.near_ranks())
    if (rank != comm_.rank()) node_.await(rank, step);
  if (!tree_messages_) return;
  nodes::TreeMessages::Outcome own;
  own.failure = node_.failure_of(batch);
  if (comm_.rank() != 0) {
    std::vector<protocol::FloatErrors> errors;
    node_.add_float_errors(batch, errors);
    const auto bytes = std::as_bytes(std::span(errors));
    own.float_errors.assign(bytes.begin(), bytes.end());
  }
  const auto outcome = tree_messages_->settle(exchanged_, std::move(own));
  if (comm_.rank() != 0) return;
  remote_float_errors_.resize(outcome.float_errors.size() / sizeof(protocol::FloatErrors));
  if (!remote_float_errors_.empty())
    std::memcpy(remote_float_errors_.data(), outcome.float_errors.data(), outcome.float_errors.size());
  if (!outcome.failure) return;
  node_.set_failure(batch, *outcome.failure);
  untold_ = {batch, *outcome.failure};
}

std::vector<protocol::FloatErrors> Board::float_errors_of(std::uint64_t batch) const {
  auto reported = remote_float_errors_;
  node_.add_float_errors(batch, reported);
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint8_t> kinds;
  for (const auto& each : reported) kinds[{each.first, each.last}] |= each.kinds;
  std::vector<protocol::FloatErrors> errors;
  for (const auto& [commands, met] : kinds) errors.push_back({met, commands.first, commands.second});
  return errors;
}

std::uint64_t Board::request_cut() {
  GAMELAN_ASSERT(cheap, comm_.rank() == 0, "rank 0 decides");
  const std::lock_guard lock(cut_mutex_);
  if (!node_.has_cut())
    node_.set_cut(tree_messages_ ? tree_messages_->decide_cut() : node_.begin_decision() + 1);
  return node_.cut();
}

void Board::clear_cut() {
  GAMELAN_ASSERT(cheap, comm_.rank() == 0, "rank 0 decides");
  const std::lock_guard lock(cut_mutex_);
  if (tree_messages_ && node_.has_cut()) tree_messages_->clear_cut();
  node_.clear_cut();
}

void Board::set_reporter(std::function<Bytes()> reporter) {
  if (tree_messages_) tree_messages_->set_reporter(std::move(reporter));
}

void Board::on_lost(std::function<void(const std::string&)> tell) {
  if (tree_messages_) tree_messages_->on_lost(std::move(tell));
}

Bytes Board::gather_reports() {
  if (!tree_messages_) return {};
  const std::lock_guard lock(report_mutex_);
  return tree_messages_->gather_reports();
}

std::vector<nodes::StoppedRank> Board::stopped_ranks() {
  auto stopped = stopped_.look();
  if (!tree_messages_) return stopped;
  const auto others = tree_messages_->ask_stopped();
  const auto own = stopped.size();
  stopped.resize(own + others.size() / sizeof(nodes::StoppedRank));
  if (!others.empty()) std::memcpy(stopped.data() + own, others.data(), others.size());
  return stopped;
}

}  // namespace gamelan::engine
