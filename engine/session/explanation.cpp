// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/explanation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace gamelan::engine {
namespace {

constexpr int most_pieces_told = 4096;  // per axis of a layout; enough for layouts that users ask for

/// What a wavefront takes of the time of its passes one after the other (decision 044).
constexpr double share_of_passes = 0.5;

/// Bytes of a rank's largest block of everything that the steps read and write, once a step: what goes
/// through its memory at most. Parts of blocks count as blocks. Passes of a wavefront count as much as they
/// take.
std::size_t traffic_of(const plan::Plan& plan) {
  const auto bytes_of = [&](const plan::Step& step) {
    const auto* loop = std::get_if<plan::FusedLoop>(&step.body);
    if (loop && loop->computes_nothing()) return std::size_t{0};
    std::set<std::pair<int, bool>> uses;  // a stencil reads several views of its array in one pass
    for (const auto& use : plan::uses_of(step)) uses.insert({use.slot, use.is_written});
    std::size_t bytes = 0;
    for (const auto& [slot, is_written] : uses)
      bytes += plan::block_bytes(plan.slots[static_cast<std::size_t>(slot)]);
    return bytes;
  };
  std::size_t bytes = 0;
  for (const auto& step : plan.steps) {
    if (plan::is_at_borders(step)) continue;  // a few rows of what the step before has counted
    const auto* wavefront = std::get_if<plan::Wavefront>(&step.body);
    if (wavefront == nullptr) {
      bytes += bytes_of(step);
      continue;
    }
    std::size_t passes = 0;
    for (const auto& part : *wavefront->parts) {
      plan::Step pass;
      std::visit([&](const auto& each) { pass.body = each; }, part.pass);
      passes += bytes_of(pass);
    }
    bytes += static_cast<std::size_t>(share_of_passes * static_cast<double>(passes));
  }
  return bytes;
}

}  // namespace

std::string describe(const protocol::Batch& batch, std::size_t made, const plan::Plan& plan,
                     const MemoryForecast& memory, const ArrayTable& arrays) {
  nlohmann::json info{{"plan", plan::dump(plan)}, {"layouts", nlohmann::json::array()}};
  info["needs"] = {
      {"steps", plan.steps.size()},  {"traffic", traffic_of(plan)},
      {"in_use", memory.in_use},     {"peak", memory.peak},
      {"capacity", memory.capacity}, {"refusal", memory.refusal ? memory.refusal->error.what() : ""}};
  if (memory.refusal) {
    info["needs"]["command"] =
        std::max<std::int64_t>(memory.refusal->command - static_cast<std::int64_t>(made), 0);
    info["needs"]["wanted"] = memory.wanted;
    info["needs"]["room"] = memory.room;
    const auto command = static_cast<std::size_t>(std::max<std::int64_t>(memory.refusal->command, 0));
    if (command < batch.commands.size() && batch.commands[command].origin < batch.origins.size()) {
      const auto& origin = batch.origins[batch.commands[command].origin];
      info["needs"]["file"] = origin.file;
      info["needs"]["line"] = origin.line;
    }
  }
  for (const auto& view : batch.fetches) {
    const plan::ArrayInfo* known = nullptr;
    for (const auto& slot : plan.slots)
      if (slot.array == view.base) known = &slot.info;
    if (!known && arrays.contains(view.base)) known = &arrays.at(view.base).info;
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

}  // namespace gamelan::engine
