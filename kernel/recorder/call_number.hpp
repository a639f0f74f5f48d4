// SPDX-License-Identifier: BSD-3-Clause
// The number of the user's call in which this thread is. Calls within a call belong to the outermost one,
// which gets a number when it records its first command. UserCall (user_call.hpp) opens and closes calls.
#pragma once
#include <cstdint>

namespace gamelan::kernel::call_number {

void enter() noexcept;
/// Ends a call. Returns its number when it was the outermost one and has recorded something; else 0.
std::uint64_t leave() noexcept;
/// In how many calls, one within the other, this thread is.
int depth() noexcept;
/// The number of the outermost call in which this thread is, for a command that is being recorded; 0 outside
/// of calls. The caller holds the GIL.
std::uint64_t recording() noexcept;
/// The same, but 0 also when that call has recorded nothing.
std::uint64_t begun() noexcept;
/// What this call records from now on belongs to a new call. Returns the number that it had.
std::uint64_t renew() noexcept;

}  // namespace gamelan::kernel::call_number
