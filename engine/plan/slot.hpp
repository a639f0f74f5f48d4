// SPDX-License-Identifier: BSD-3-Clause
// What the steps of a plan work on: how an array is stored (ArrayInfo), a version of its storage (Slot), and
// a box of a version that a step reads or writes (Operand). Data; included by every step header.
#pragma once
#include <functional>
#include <numeric>

#include "engine/distribution/pieces.hpp"
#include "protocol/message.hpp"

namespace gamelan::engine::plan {

using distribution::Layout;
using protocol::ArrayId;
using protocol::Dtype;
using protocol::Op;
using protocol::Shape;
using protocol::View;

/// How an array is stored. Its extents are those of the distribution, which may differ from the notebook's
/// shape (both describe the same C-order elements).
struct ArrayInfo {
  Shape extents;
  Dtype dtype = Dtype::float64;
  Layout layout;
  bool is_chosen = false;  ///< the user has chosen the layout: it does not change
};

/// One version of an array's storage. Inputs exist before the plan; the others are allocated by the step that
/// lists them in `allocates`.
struct Slot {
  ArrayId array = 0;
  ArrayInfo info;
  bool is_input = false;
  /// So many rows of a block are there at a time, those that a chain of rows works on; 0: all of it. The slot
  /// lives within the chain, and other axes are not cut.
  std::int64_t rows_kept = 0;
};

/// Bytes of one row of a slot: all elements with one index of the first axis, which alone is cut.
inline std::int64_t row_bytes(const Slot& slot) {
  const auto& extents = slot.info.extents;
  return std::accumulate(extents.begin() + 1, extents.end(),
                         static_cast<std::int64_t>(protocol::size_of(slot.info.dtype)), std::multiplies<>());
}

/// Bytes of a slot's largest block, the size that every rank reserves.
inline std::size_t block_bytes(const Slot& slot) {
  if (slot.rows_kept > 0) return static_cast<std::size_t>(slot.rows_kept * row_bytes(slot));
  return static_cast<std::size_t>(slot.info.layout.largest_block()) * protocol::size_of(slot.info.dtype);
}

/// A box of a slot (or of a payload frame, or scratch of the running step) that a program reads or writes.
struct Operand {
  enum class Source : std::uint8_t { slot, payload, scratch };
  Source source = Source::slot;
  int slot = -1;
  int payload = -1;
  int fold = -1;                      ///< for scratch: the fold whose values go there
  distribution::Placement placement;  ///< for slots
  bool is_written = false;
  bool may_be_remote = false;  ///< true when some rank may use a block of another rank
};

}  // namespace gamelan::engine::plan
