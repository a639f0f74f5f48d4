// SPDX-License-Identifier: BSD-3-Clause
// Some views are no box of their base as it is stored, but become one when neighbouring axes are taken as
// one: for example the flat form of an array that is cut by rows. Its blocks are the same memory either way,
// so steps whose places only data say can read and write it in place. Pure; used by canonical.cpp and
// lower_irregular.cpp.
#pragma once
#include <optional>

#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// The placement of `view`: under the layout of its base, or under the same blocks with some neighbouring
/// axes merged. nullopt when it is a box of neither, or when the base has no layout yet.
std::optional<distribution::Placement> place_merged(const View& view, const ArrayInfo& base);

}  // namespace gamelan::engine::plan
