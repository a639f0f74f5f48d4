// SPDX-License-Identifier: BSD-3-Clause
// How long a command will take, guessed from its shapes: the recorder cuts batches by it, and the session
// waits before a command that takes long, so that little runs ahead of the program. Pure arithmetic.
#pragma once
#include <cstdint>
#include <unordered_set>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// The work of a tenth of a second on one slow rank (a hyperthread of 2.8 GHz; a core of 2025 does it in a
/// fortieth). A pass over memory is four for each element, an operation on
/// an element in cache is one.
inline constexpr std::int64_t work_of_a_moment = 300'000'000;

/// The arrays that the pending commands read or write.
using TouchedArrays = std::unordered_set<protocol::ArrayId>;

/// The work of a command. Arrays from `first_of_batch` on are made by the pending commands, and so in cache.
/// What is touched again costs less than one: it shares a pass, or the next sweep of a stencil finds it in
/// cache (engine/plan/passes/tile_time.cpp).
std::int64_t work_of(const protocol::Command& command, protocol::ArrayId first_of_batch,
                     const TouchedArrays& touched);

/// Adds what a command reads and writes.
void touch(TouchedArrays& touched, const protocol::Command& command);

/// True for a command that never joins the pass of others, and may take long: products, sorting, transforms,
/// linear algebra, files.
bool is_single(protocol::Op op);

/// True for an element-wise command or a reduction that makes a new array of others and of numbers.
bool is_simple(const protocol::Command& command);

}  // namespace gamelan::kernel
