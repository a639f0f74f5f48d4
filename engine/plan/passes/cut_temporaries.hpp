// SPDX-License-Identifier: BSD-3-Clause
// Temporaries that are read in boxes only, computed box by box. The edges and corners of
//
//     gx, gy = np.gradient(a); np.sqrt(gx**2 + gy**2)
//
// are commands of their own, so differences are read in parts by several passes. Each part is then computed
// in the pass that reads it, and stored nowhere.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// Cuts each dead temporary whose element-wise readers read disjoint boxes of it that are all of it together:
/// no element is computed twice, or less often than before.
void cut_temporaries(Context& context);

}  // namespace gamelan::engine::plan
