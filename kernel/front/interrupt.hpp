// SPDX-License-Identifier: BSD-3-Clause
// Who gets SIGINT, and when. SIGINT is blocked in every thread of the kernel; it is let through on the main
// thread only while Python runs there on behalf of a request. Thus an interrupt can reach a cell, a blocking
// read or an engine wait, and never a socket call of ours or an idle kernel. Knows no sockets and no
// messages.
#pragma once
#include <csignal>

namespace gamelan::kernel {

/// First thing in main(), before any thread exists: restores SIGINT's default (a server started with `&`
/// ignores it, and Python would then leave it ignored), blocks it, and turns SIGTERM into a readable
/// termination_fd().
void take_over_signals();

/// After Py_Initialize: from now on a SIGINT that the system hands to a thread of the user's is passed on to
/// the main thread, the only one on which Python acts upon it.
void forward_interrupts_to_main_thread();

/// Becomes readable when SIGTERM has arrived.
int termination_fd();

/// Interrupts the request that runs on the main thread, and its child processes in our process group (as
/// Jupyter's own signal would). Does nothing while the kernel is idle. Any thread, no GIL.
void interrupt_running_request();

/// Lets SIGINT through on the main thread for its lifetime. Interrupts older than the window are dropped. GIL
/// held.
class InterruptWindow {
 public:
  InterruptWindow();
  ~InterruptWindow();
  InterruptWindow(const InterruptWindow&) = delete;
  InterruptWindow& operator=(const InterruptWindow&) = delete;
};

/// Holds all signals back from the calling thread: a socket call that got EINTR half way would lose a
/// message.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace gamelan::kernel
