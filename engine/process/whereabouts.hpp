// SPDX-License-Identifier: BSD-3-Clause
// What a process that does not answer is asked: `kill -USR2 PID` has it write to standard error, which is the
// engines' log, in which functions its main thread is. It goes on afterwards.
#pragma once

namespace gamelan::engine {

/// From now on SIGUSR2 is answered so, instead of ending the process. Called before other threads start.
void tell_whereabouts_when_asked();

}  // namespace gamelan::engine
