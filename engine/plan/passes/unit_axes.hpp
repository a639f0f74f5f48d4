// SPDX-License-Identifier: BSD-3-Clause
// Reductions over axes of extent 1, as of `x[:, None, :].sum(1)` or of an image in tiles of one column. Such
// an axis adds nothing to the result, but it stands between others that lie together in memory, and cuts
// their reduction blocks short.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// Takes axes of extent 1 from what is reduced over them. A reduction over nothing else becomes a copy.
/// Called by canonicalise, before it looks at how arrays are stored.
void drop_unit_axes(Context& context);

}  // namespace gamelan::engine::plan
