// SPDX-License-Identifier: BSD-3-Clause
// The instruction-set level in which loops run. Levels may differ in the last bit of a transcendental, so all
// ranks of an ensemble must use one: each reports best_isa(), and the engine sets the least of them before
// any work.
#pragma once
#include <cstdint>
#include <string_view>

namespace gamelan::engine::tiles {

/// In ascending order; every level is able to do what the ones before it do.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };

/// The highest level that this processor runs.
Isa best_isa();
/// Chooses the level of loops looked up from now on; throws Error{internal} if this processor lacks it, and
/// Error{os} if this build has no loops for a processor so old (GAMELAN_LEVELS=native, built elsewhere).
void set_isa(Isa level);
/// The level in use: best_isa() unless set.
Isa isa();
std::string_view name(Isa level);

}  // namespace gamelan::engine::tiles
