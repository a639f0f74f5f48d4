// SPDX-License-Identifier: BSD-3-Clause
// The instruction-set level in which loops run. Levels may differ in the last bit of a transcendental
// function, so all ranks must use the same: each reports best_isa(), and the engine sets the lowest of them
// before any work.
#pragma once
#include <cstdint>
#include <string_view>

namespace gamelan::engine::tiles {

/// In ascending order; every level includes those before it.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };

/// The highest level that this processor runs, up to the limit.
Isa best_isa();
/// No level above `most` is used from now on. To be called before any work.
void limit_isa(Isa most);
/// Sets the level of loops that are looked up from now on. Throws Error{internal} if this processor lacks it,
/// and Error{os} if this build has no loops for this processor (GAMELAN_LEVELS=native, built on another
/// machine).
void set_isa(Isa level);
/// The level in use: best_isa() unless set.
Isa isa();
/// True where a program reads memory fastest along one stream, of which it asks for some KiB ahead; else it
/// reads several at once and leaves that to the processor. Asks this processor, unless set; it changes no
/// bits.
bool asks_ahead();
void set_asks_ahead(bool asks);
std::string_view name(Isa level);

}  // namespace gamelan::engine::tiles
