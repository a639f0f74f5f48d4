// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/status.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/session/configuration.hpp"
#include "engine/steps/files/behind.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/tile_lanes.hpp"
#include "engine/tiles/tile_translation.hpp"

namespace gamelan::engine {

Status::Status(Comm& comm, distribution::Heap& heap, Board& board, const Sources& sources)
    : comm_(comm),
      heap_(heap),
      board_(board),
      of_(sources),
      notices_(*heap.allocator().allocate(sizeof(Noticeboard))),
      heap_at_rest_(heap.allocator().in_use()) {
  const auto pages = heap_.allocator().take_uncommitted();
  if (!heap_.commit(pages))
    throw protocol::Error(protocol::ErrorKind::memory, "[session] no memory for the first page of the heap");
  new (&noticeboard(comm.rank())) Noticeboard{};
  steps::WritesBehind::of_process().report_to(&noticeboard(comm.rank()).bytes_behind,
                                              &noticeboard(comm.rank()).write_failures);
  comm.barrier();  // no rank reads a noticeboard before it is made
  heap_.allocator().reset_peak();
  publish_counters();
  board_.set_reporter([this] {
    const auto mine = reports_of_node();
    const auto bytes = std::as_bytes(std::span(mine));
    return protocol::Bytes(bytes.begin(), bytes.end());
  });
}

Status::~Status() {
  board_.set_reporter({});
  steps::WritesBehind::of_process().report_to(nullptr, nullptr);
  heap_.allocator().release(notices_);
}

Status::Noticeboard& Status::noticeboard(int rank) const {
  return *reinterpret_cast<Noticeboard*>(heap_.address(rank, notices_.offset));
}

// ---- for the rank itself, which counts

void Status::add_batch(std::size_t commands) {
  published_.batches += 1;
  published_.commands += commands;
  publish_counters();
}

void Status::reset() {
  heap_.allocator().reset_peak();
  published_.batches = published_.commands = published_.fetch_bytes = 0;
  published_.plan_seconds = 0;
  wait_origin_ = board_.wait_seconds();
  publish_counters();
}

void Status::publish_work() {
  const auto& counters = of_.executor.counters();
  auto& mine = noticeboard(comm_.rank());
  mine.steps = counters.steps;
  mine.bytes_shared = counters.bytes_shared;
  mine.pieces_helped = counters.pieces_helped;
  if (const auto* ghost_exchange = of_.executor.ghost_exchange()) {
    mine.bytes_sent = ghost_exchange->counters().bytes_sent;
    mine.bytes_received = ghost_exchange->counters().bytes_received;
    mine.messages = ghost_exchange->counters().messages;
  }
  mine.compute_seconds = counters.compute_seconds;
  mine.wait_seconds = board_.wait_seconds() - wait_origin_;
}

void Status::publish_counters() {
  publish_work();
  published_.arrays = of_.arrays.size();
  published_.plan_hits = of_.planner.cache().hits();
  published_.plan_misses = of_.planner.cache().misses();
  published_.heap_bytes = heap_.allocator().in_use() - heap_at_rest_;
  published_.heap_peak = heap_.allocator().peak() - heap_at_rest_;
}

// ---- for rank 0 and the leaders, which read the counters

std::vector<Status::Report> Status::reports_of_node() const {
  std::vector<Report> reports;
  for (const int rank : comm_.near_ranks()) {
    const auto& notices = noticeboard(rank);
    reports.push_back({rank, notices.steps, notices.bytes_shared, notices.bytes_sent, notices.bytes_received,
                       notices.messages, notices.pieces_helped, notices.bytes_behind, notices.write_failures,
                       notices.compute_seconds, notices.wait_seconds});
  }
  return reports;
}

std::vector<Status::Report> Status::reports() const {
  auto all = reports_of_node();
  const auto others = board_.gather_reports();
  const auto own = all.size();
  all.resize(own + others.size() / sizeof(Report));
  std::memcpy(all.data() + own, others.data(), (all.size() - own) * sizeof(Report));
  std::sort(all.begin(), all.end(), [](const Report& a, const Report& b) { return a.rank < b.rank; });
  return all;
}

nlohmann::json Status::status() const {
  const auto done = of_.progress.steps_done();
  Report sum{};
  auto per_rank = nlohmann::json::array();
  const auto told = reports();
  for (const auto& each : told) {
    sum.bytes_shared += each.bytes_shared;
    sum.bytes_sent += each.bytes_sent;
    sum.bytes_received += each.bytes_received;
    sum.messages += each.messages;
    sum.pieces_helped += each.pieces_helped;
    sum.bytes_behind += each.bytes_behind;
    sum.write_failures += each.write_failures;
    sum.compute_seconds += each.compute_seconds;
    sum.wait_seconds += each.wait_seconds;
    per_rank.push_back({{"rank", each.rank},
                        {"steps", each.steps},
                        {"bytes_shared", each.bytes_shared},
                        {"bytes_sent", each.bytes_sent},
                        {"bytes_received", each.bytes_received},
                        {"messages", each.messages},
                        {"pieces_helped", each.pieces_helped},
                        {"compute_seconds", each.compute_seconds},
                        {"wait_seconds", each.wait_seconds}});
  }
  auto pass_seconds = nlohmann::json::object();
  for (std::size_t p = 0; p < plan::passes().size(); ++p)
    pass_seconds[plan::passes()[p].name] = of_.planner.pass_times().seconds[p].load();
  return {
      {"ranks", comm_.size()},
      {"nodes", comm_.nodes()},
      {"ranks_silent", comm_.size() - static_cast<int>(told.size())},  // of nodes that did not answer in time
      {"busy", of_.progress.is_busy()},
      {"batches", published_.batches.load()},
      {"commands", published_.commands.load()},
      {"steps", noticeboard(0).steps.load()},
      {"arrays", published_.arrays.load()},
      {"plan_hits", published_.plan_hits.load()},
      {"plan_misses", published_.plan_misses.load()},
      {"ga_creates", distribution::Heap::ga_creates()},
      {"heap_bytes", published_.heap_bytes.load() * static_cast<std::uint64_t>(comm_.size())},
      {"heap_peak", published_.heap_peak.load() * static_cast<std::uint64_t>(comm_.size())},
      {"heap_bytes_per_rank", heap_.bytes_per_rank()},
      {"bytes_shared", sum.bytes_shared},
      {"bytes_sent", sum.bytes_sent},
      {"bytes_received", sum.bytes_received},
      {"messages", sum.messages},
      {"instruction_set", tiles::name(tiles::isa())},
      {"programs_compiled", tiles::programs_compiled()},
      {"cells_folded_at_once", tiles::cells_folded_at_once()},
      {"pieces_helped", sum.pieces_helped},
      {"bytes_behind", sum.bytes_behind},
      {"write_failures", sum.write_failures},
      {"fetch_bytes", published_.fetch_bytes.load()},
      {"wait_seconds", sum.wait_seconds},
      {"compute_seconds", sum.compute_seconds},
      {"per_rank", per_rank},
      {"plan_seconds", published_.plan_seconds.load()},
      {"pass_seconds", pass_seconds},
      {"steps_planned", of_.progress.steps_planned()},
      {"steps_done", done},
      {"pass_names", pass_names()},
  };
}

}  // namespace gamelan::engine
