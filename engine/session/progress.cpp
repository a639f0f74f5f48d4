// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/progress.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace gamelan::engine {

Progress::Run::Run(Progress& progress, const plan::Plan& plan, const protocol::Batch& batch)
    : progress_(progress) {
  progress_.steps_planned_ = plan.steps.size();
  progress_.steps_before_ = progress_.executor_.last_step();
  const std::scoped_lock lock(progress_.running_);
  progress_.plan_ = &plan;
  progress_.batch_ = &batch;
}

Progress::Run::~Run() {
  const std::scoped_lock lock(progress_.running_);
  progress_.plan_ = nullptr;
  progress_.batch_ = nullptr;
}

void Progress::set_foreign(std::vector<Holders::Foreign> foreign) {
  const std::scoped_lock lock(running_);
  foreign_ = std::move(foreign);
}

/// A step that was begun counts as done when the next one begins, or when the plan is over.
std::uint64_t Progress::count_steps_done() const {
  const auto begun = executor_.last_step() - steps_before_;
  return plan_ != nullptr && begun > 0 ? begun - 1 : begun;
}

std::uint64_t Progress::steps_done() const {
  const std::scoped_lock lock(running_);
  return count_steps_done();
}

nlohmann::json Progress::heartbeat() const {
  const std::scoped_lock lock(running_);
  const auto done = count_steps_done();
  nlohmann::json told = {
      {"busy", is_busy_.load()}, {"steps_planned", steps_planned_.load()}, {"steps_done", done}};
  for (const auto& [id, maker, when] : foreign_) told["written_by_others"].push_back({id, when, maker});
  if (plan_ == nullptr) return told;
  told["batch"] = batch_->seq;
  int command = -1;  // several steps may compute one command; the last of them completes it
  for (std::size_t step = done; step < plan_->steps.size() && command < 0; ++step)
    command = plan_->steps[step].command;
  if (command < 0 || static_cast<std::size_t>(command) >= batch_->commands.size()) return told;
  const auto origin = batch_->commands[static_cast<std::size_t>(command)].origin;
  if (origin >= batch_->origins.size()) return told;
  told["file"] = batch_->origins[origin].file;
  told["line"] = batch_->origins[origin].line;
  return told;
}

}  // namespace gamelan::engine
