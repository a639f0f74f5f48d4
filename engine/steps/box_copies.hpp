// SPDX-License-Identifier: BSD-3-Clause
// Copies of strided boxes, used by several steps: from memory that this rank can address, cast on the way.
#pragma once
#include <span>

#include "engine/plan/plan.hpp"
#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// Copies a strided box to another one and casts. Arguments: dtypes, extents, then address and byte strides
/// of both.
void copy_box(protocol::Dtype from, protocol::Dtype to, std::span<const std::int64_t> extents,
              const std::byte* source, const protocol::Shape& source_strides, std::byte* target,
              const protocol::Shape& target_strides);
/// Copies a box of an operand's iterations into memory with these strides, cast.
void copy_operand(const StepContext& context, const plan::Operand& operand, protocol::Dtype from,
                  protocol::Dtype to, const distribution::Box& box, std::byte* target,
                  const protocol::Shape& target_strides);

}  // namespace gamelan::engine::steps
