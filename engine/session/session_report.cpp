// SPDX-License-Identifier: BSD-3-Clause
// What a session tells: the arithmetic of a MemoryError, the text of a plan, counters; and the options it is
// told.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/option_words.hpp"
#include "engine/session/session.hpp"
#include "engine/steps/routines.hpp"
#include "engine/tiles/tile_translation.hpp"

namespace gamelan::engine {
namespace {

constexpr int most_pieces_told = 4096;  // per axis of a layout: what is asked for by hand

/// The planner's, and what the session does before it plans and while it runs.
std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const auto& each : plan::switches()) names.emplace_back(each.name);
  names.emplace_back("elide_stores");
  names.emplace_back("hide");  // messages travel while the step computes
  return names;
}

using protocol::ArrayId;
using protocol::Error;
using protocol::ErrorKind;

std::string bytes_text(double bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 5) {
    bytes /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return text;
}

static_assert(static_cast<int>(exec::Compiling::always) == 2 && static_cast<int>(exec::Balance::always) == 2,
              "as in choices.hpp");

std::size_t chosen(const std::string& option, const std::string& word) {
  try {
    return choose(option, word);
  } catch (const Error& error) {
    throw Error(error.kind(), "[configure] " + option + ": " + error.what());
  }
}

/// A command as its user knows it: the operation, and the line where it was written.
std::string in_words(const protocol::Batch& batch, std::int64_t command) {
  if (command < 0 || command >= static_cast<std::int64_t>(batch.commands.size())) return "what is to be read";
  const auto& guilty = batch.commands[static_cast<std::size_t>(command)];
  std::string text(protocol::info(guilty.op).name);
  if (guilty.origin < batch.origins.size())
    text += " (" + batch.origins[guilty.origin].file + ", line " +
            std::to_string(batch.origins[guilty.origin].line) + ")";
  return text;
}

}  // namespace

Error Session::too_big(const protocol::Batch& batch, std::int64_t command, std::size_t bytes) const {
  const auto& allocator = heap_.allocator();
  const double ranks = comm_.size();
  std::string text = "[memory] " + in_words(batch, command) + " needs " +
                     bytes_text(static_cast<double>(bytes)) + " on each of " + std::to_string(comm_.size()) +
                     " ranks; the engines hold " +
                     bytes_text(static_cast<double>(allocator.in_use()) * ranks) + " of " +
                     bytes_text(static_cast<double>(allocator.capacity()) * ranks);
  std::vector<std::pair<std::int64_t, ArrayId>> largest;
  for (const auto& [id, array] : arrays_)
    largest.emplace_back(-protocol::element_count(array.info.extents) *
                             static_cast<std::int64_t>(protocol::size_of(array.info.dtype)),
                         id);
  std::sort(largest.begin(), largest.end());
  if (!largest.empty()) text += "; largest arrays:";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, largest.size()); ++i)
    text += " " + bytes_text(-static_cast<double>(largest[i].first)) + " (" +
            dist::describe(arrays_.at(largest[i].second).info.layout) + ")";
  text += ". Delete arrays, or start engines with more memory";
  return Error(ErrorKind::memory, text, command);
}

protocol::Reply Session::explain(protocol::Batch batch) const {
  protocol::Reply reply;
  reply.seq = batch.seq;
  try {
    ElidedCopies(elided_).settle(batch);
    for (const auto& copy : find_elided(batch)) batch.frees.push_back(copy.to.base);
    if (const auto refusal = find_fault(batch)) throw refusal->error;
    reply.info = describe(batch, plan::make_plan(batch, catalog(), options_));
  } catch (const Error& error) {
    reply = protocol::failed_reply(batch.seq, error.kind(), error.what());
    reply.command = error.command();
  }
  return reply;
}

std::string Session::describe(const protocol::Batch& batch, const plan::Plan& plan) const {
  nlohmann::json info{{"plan", plan::dump(plan)}, {"layouts", nlohmann::json::array()}};
  for (const auto& view : batch.fetches) {
    const plan::ArrayInfo* known = nullptr;
    for (const auto& slot : plan.slots)
      if (slot.array == view.base) known = &slot.info;
    if (!known && arrays_.contains(view.base)) known = &arrays_.at(view.base).info;
    nlohmann::json layout;
    if (known) {
      layout["replicated"] = known->layout.is_replicated;
      layout["extents"] = known->extents;
      layout["first_rank"] = known->layout.first_rank;
      layout["axes"] = nlohmann::json::array();
      for (const auto& axis : known->layout.axes) {
        std::vector<std::int64_t> cuts;
        const int told = std::min(axis.parts, most_pieces_told);
        for (int c = 0; c < told; ++c) cuts.push_back(axis.interval(c).first);
        cuts.push_back(axis.interval(told - 1).last);
        layout["axes"].push_back({{"parts", axis.parts}, {"cuts", cuts}, {"rank_stride", axis.rank_stride}});
      }
    }
    info["layouts"].push_back(layout);
  }
  return info.dump();
}

void Session::configure(const protocol::Configure& wanted) {
  for (const auto& [name, value] : wanted.options) set_option(name, value);
}

void Session::set_option(const std::string& name, const std::string& value) {
  if (name == "disable_passes") {
    std::set<std::string> disabled;
    std::string pass;
    for (const char c : value + ",") {
      if (c != ',') {
        pass += c;
        continue;
      }
      if (pass.empty()) continue;
      const auto names = pass_names();
      if (std::find(names.begin(), names.end(), pass) == names.end())
        throw Error(ErrorKind::value, "[configure] unknown pass '" + pass + "'");
      disabled.insert(std::exchange(pass, {}));
    }
    if (auto* ghost_exchange = executor_.ghost_exchange())
      ghost_exchange->set_hiding(!disabled.contains("hide"));
    options_.disabled = std::move(disabled);
  } else if (name == "keep_unread") {
    options_.keeps_unread = value == "1";
  } else if (name == "compile") {
    exec::set_compiling(static_cast<exec::Compiling>(chosen(name, value)));
  } else if (name == "balance") {
    executor_.set_balance(static_cast<exec::Balance>(chosen(name, value)));
  } else if (name == "find_routine") {
    routines::find(value);
  } else if (name == "reset_stats") {
    executor_.reset_counters();
    heap_.allocator().reset_peak();
    published_.batches = published_.commands = published_.fetch_bytes = 0;
    published_.plan_seconds = 0;
    pass_times_.reset();
    plans_.reset_counters();
    wait_origin_ = board_.wait_seconds();
    publish_counters();
  } else {
    throw Error(ErrorKind::value, "[configure] unknown option '" + name + "'");
  }
}

void Session::publish_work() {
  const auto& counters = executor_.counters();
  auto& mine = noticeboard(comm_.rank());
  mine.kernels = counters.kernels;
  mine.bytes_shared = counters.bytes_shared;
  mine.pieces_helped = counters.pieces_helped;
  if (const auto* ghost_exchange = executor_.ghost_exchange()) {
    mine.bytes_sent = ghost_exchange->counters().bytes_sent;
    mine.bytes_received = ghost_exchange->counters().bytes_received;
    mine.messages = ghost_exchange->counters().messages;
  }
  mine.compute_seconds = counters.compute_seconds;
  mine.wait_seconds = board_.wait_seconds() - wait_origin_;
}

void Session::publish_counters() {
  publish_work();
  published_.arrays = arrays_.size();
  published_.plan_hits = plans_.hits();
  published_.plan_misses = plans_.misses();
  published_.heap_bytes = heap_.allocator().in_use() - heap_at_rest_;
  published_.heap_peak = heap_.allocator().peak() - heap_at_rest_;
}

std::vector<Session::Report> Session::reports_of_node() const {
  std::vector<Report> reports;
  for (const int rank : comm_.near_ranks()) {
    const auto& notices = noticeboard(rank);
    reports.push_back({rank, notices.kernels, notices.bytes_shared, notices.bytes_sent,
                       notices.bytes_received, notices.messages, notices.pieces_helped,
                       notices.compute_seconds, notices.wait_seconds});
  }
  return reports;
}

std::vector<Session::Report> Session::reports() const {
  auto all = reports_of_node();
  const auto others = board_.gather_reports();
  const auto own = all.size();
  all.resize(own + others.size() / sizeof(Report));
  std::memcpy(all.data() + own, others.data(), (all.size() - own) * sizeof(Report));
  std::sort(all.begin(), all.end(), [](const Report& a, const Report& b) { return a.rank < b.rank; });
  return all;
}

/// A step that was begun is not done before the next one begins, or the plan is over.
std::uint64_t Session::steps_done() const {
  const auto begun = executor_.last_step() - published_.steps_before;
  return published_.plan != nullptr && begun > 0 ? begun - 1 : begun;
}

nlohmann::json Session::heartbeat() const {
  const std::scoped_lock lock(published_.running);
  const auto done = steps_done();
  nlohmann::json told = {{"busy", published_.is_busy.load()},
                         {"steps_planned", published_.steps_planned.load()},
                         {"steps_done", done}};
  if (published_.plan == nullptr) return told;
  told["batch"] = published_.batch->seq;
  const auto& steps = published_.plan->steps;
  const int command = done < steps.size() ? steps[done].command : -1;
  if (command < 0 || static_cast<std::size_t>(command) >= published_.batch->commands.size()) return told;
  const auto origin = published_.batch->commands[static_cast<std::size_t>(command)].origin;
  if (origin >= published_.batch->origins.size()) return told;
  told["file"] = published_.batch->origins[origin].file;
  told["line"] = published_.batch->origins[origin].line;
  return told;
}

nlohmann::json Session::status() const {
  const auto done = [this] {
    const std::scoped_lock lock(published_.running);
    return steps_done();
  }();
  Report sum{};
  auto per_rank = nlohmann::json::array();
  const auto told = reports();
  for (const auto& each : told) {
    sum.bytes_shared += each.bytes_shared;
    sum.bytes_sent += each.bytes_sent;
    sum.bytes_received += each.bytes_received;
    sum.messages += each.messages;
    sum.pieces_helped += each.pieces_helped;
    sum.compute_seconds += each.compute_seconds;
    sum.wait_seconds += each.wait_seconds;
    per_rank.push_back({{"rank", each.rank},
                        {"kernels", each.kernels},
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
    pass_seconds[plan::passes()[p].name] = pass_times_.seconds[p].load();
  return {
      {"ranks", comm_.size()},
      {"ranks_silent", comm_.size() - static_cast<int>(told.size())},  // of nodes that did not answer in time
      {"busy", published_.is_busy.load()},
      {"batches", published_.batches.load()},
      {"commands", published_.commands.load()},
      {"kernels", noticeboard(0).kernels.load()},
      {"arrays", published_.arrays.load()},
      {"plan_hits", published_.plan_hits.load()},
      {"plan_misses", published_.plan_misses.load()},
      {"ga_creates", dist::Heap::ga_creates()},
      {"heap_bytes", published_.heap_bytes.load() * static_cast<std::uint64_t>(comm_.size())},
      {"heap_peak", published_.heap_peak.load() * static_cast<std::uint64_t>(comm_.size())},
      {"heap_bytes_per_rank", heap_.bytes_per_rank()},
      {"bytes_shared", sum.bytes_shared},
      {"bytes_sent", sum.bytes_sent},
      {"bytes_received", sum.bytes_received},
      {"messages", sum.messages},
      {"programs_compiled", exec::programs_compiled()},
      {"pieces_helped", sum.pieces_helped},
      {"fetch_bytes", published_.fetch_bytes.load()},
      {"wait_seconds", sum.wait_seconds},
      {"compute_seconds", sum.compute_seconds},
      {"per_rank", per_rank},
      {"plan_seconds", published_.plan_seconds.load()},
      {"pass_seconds", pass_seconds},
      {"steps_planned", published_.steps_planned.load()},
      {"steps_done", done},
      {"pass_names", pass_names()},
  };
}

}  // namespace gamelan::engine
