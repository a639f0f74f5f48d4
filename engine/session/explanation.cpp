// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/explanation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gamelan::engine {
namespace {

constexpr int most_pieces_told = 4096;  // per axis of a layout; enough for layouts that users ask for

}  // namespace

std::string describe(const protocol::Batch& batch, const plan::Plan& plan, const ArrayTable& arrays) {
  nlohmann::json info{{"plan", plan::dump(plan)}, {"layouts", nlohmann::json::array()}};
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
