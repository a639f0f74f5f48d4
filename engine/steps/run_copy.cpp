// SPDX-License-Identifier: BSD-3-Clause
// General gathers and scatters: between an array and a view that is no box of its base.
#include "engine/steps/fetch.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/steps/view_rows.hpp"

namespace gamelan::engine::steps {

void run(const StepContext& context, const plan::Gather& gather) {
  const auto& info = context.info(gather.to);
  const bool takes_part = info.layout.takes_part(context.rank());
  if (context.ghost_exchange())
    gather_remote(context, gather.from, gather.view,
                  takes_part ? info.layout.box(context.rank()) : nothing_of(info.extents),
                  static_cast<int>(context.near_ranks().size()));
  if (!takes_part) return;
  ViewRows rows(context, gather.from, gather.view);
  rows.copy(info.layout.box(context.rank()), context.own_block(gather.to), false);
}

namespace {

/// Every rank holds the target: each writes all of it.
void scatter_to_replica(const StepContext& context, const plan::Scatter& scatter) {
  const auto& info = context.info(scatter.from);
  const auto item = static_cast<std::int64_t>(protocol::size_of(info.dtype));
  protocol::Bytes values(static_cast<std::size_t>(protocol::element_count(info.extents) * item));
  if (values.empty()) return;
  fetch(context, scatter.from, protocol::whole(0, info.dtype, info.extents), values.data());
  ViewRows rows(context, scatter.to, scatter.view);
  rows.copy(box_of(scatter.view.extents), values.data(), true);
}

}  // namespace

void run(const StepContext& context, const plan::Scatter& scatter) {
  const auto& info = context.info(scatter.from);
  if (scatter.to_replica) return scatter_to_replica(context, scatter);
  ViewRows rows(context, scatter.to, scatter.view);
  RemoteScatter remote_scatter(context, scatter.to);
  if (context.ghost_exchange()) rows.write_through(remote_scatter);
  if (info.layout.takes_part(context.rank()))
    rows.copy(info.layout.box(context.rank()), context.own_block(scatter.from), true);
  if (context.ghost_exchange()) remote_scatter.exchange();
}

}  // namespace gamelan::engine::steps
