// SPDX-License-Identifier: BSD-3-Clause
// From a batch to a plan. `make_plan` reads the batch and runs the passes over it (passes.hpp).
// Deterministic: all ranks get the same plan from the same batch.
#pragma once
#include <functional>

#include "engine/plan/options.hpp"
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// How an existing array is stored; nullptr when there is none.
using Catalog = std::function<const ArrayInfo*(ArrayId)>;

Plan make_plan(const protocol::Batch& batch, const Catalog& catalog, const Options& options);

}  // namespace gamelan::engine::plan
