// SPDX-License-Identifier: BSD-3-Clause
// Which rows of an array a pass touches, and how far passes must stay behind each other when they run as a
// wavefront. Arithmetic for tile_time.cpp.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// At its row i a pass touches row i + shift of the slot; without a shift it may touch any row.
struct RowUse {
  int slot = -1;
  std::optional<std::int64_t> shift;
  bool is_written = false;
};

using LayoutOf = std::function<const Layout&(int slot)>;

/// True when the step can be a part of a wavefront: a pass that is cut between ranks along its rows only, or
/// the first half of a reduction whose blocks lie within such rows, if these are not too long for a cache.
bool has_rows(const Step& step, const LayoutOf& layout_of);
/// True when the first axes are cut between ranks at the same places.
bool have_same_cuts(const Layout& left, const Layout& right);
/// Rows are counted from here, so that rows that lie with one rank have one number in all parts.
std::int64_t first_row(const Layout& iterations);

/// What a step that has rows touches, without its carries.
std::vector<RowUse> row_uses_of(const Step& step, const LayoutOf& layout_of);
/// The largest number of rows of a rank, and how many elements the step computes in a row.
std::int64_t rows_of_rank(const Step& step);
std::int64_t row_elements_of(const Step& step);

/// For each part by how many rows it must follow the front, and how many rows it leaves at borders between
/// ranks (step_wavefront.hpp). Of two parts that touch the same row of a slot, one of them writing, the
/// earlier one touches it first: in the wavefront, and also where one of them touches it in the second step.
/// nullopt when a part writes what another touches at any row.
struct Distances {
  std::vector<std::int64_t> skew, top, bottom;
};
std::optional<Distances> distances_of(std::span<const std::vector<RowUse>> parts);

/// Bytes that the wavefront touches again and again, when the front advances by so many rows.
std::int64_t bytes_in_flight(std::span<const std::vector<RowUse>> parts, const Distances& distances,
                             std::int64_t together, const std::function<std::int64_t(int slot)>& row_bytes);

}  // namespace gamelan::engine::plan
