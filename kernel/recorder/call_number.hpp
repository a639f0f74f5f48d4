// SPDX-License-Identifier: BSD-3-Clause
// Which call of the user's this thread is in. Calls within calls belong to the outermost one, which gets a
// number when it records its first command. UserCall (user_call.hpp) opens and closes calls.
#pragma once
#include <cstdint>

namespace gamelan::kernel::call_number {

void enter() noexcept;
/// The number of the call that has ended, when it was the outermost one and has recorded something; else 0.
std::uint64_t leave() noexcept;
/// The number of the outermost call that this thread is in, as a command is recorded; 0 outside of any. The
/// caller holds the GIL.
std::uint64_t recording() noexcept;
/// The same, but 0 also when that call has recorded nothing.
std::uint64_t begun() noexcept;
/// What this call records from here on belongs to a new one; returns the number it had.
std::uint64_t renew() noexcept;

}  // namespace gamelan::kernel::call_number
