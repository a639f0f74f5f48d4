// SPDX-License-Identifier: BSD-3-Clause
// Which thread gets SIGINT, and when. SIGINT is blocked in every thread of the kernel. On the main thread it
// is let through only while Python runs there for a request. So an interrupt can reach a cell, a blocking
// read or a wait for engines, and never a socket call of ours or an idle kernel. No sockets and no messages.
#pragma once
#include <csignal>
#include <cstdint>

namespace gamelan::kernel {

/// To be called first in main(), before any thread exists. Restores SIGINT's default (a server that was
/// started with `&` ignores it, and Python would then go on ignoring it), blocks it, and makes SIGTERM
/// readable as termination_fd().
void take_over_signals();

/// To be called after Py_Initialize. From now on a SIGINT that the system gives to a thread of the user's is
/// passed on to the main thread, the only one on which Python reacts to it.
void forward_interrupts_to_main_thread();

/// Becomes readable when SIGTERM has arrived.
int termination_fd();

/// The number of the request that runs on the main thread; 0 while the kernel is idle. Any thread.
std::uint64_t running_request();

/// Interrupts the request of that number, and its child processes in our process group (as Jupyter's own
/// signal would). Does nothing when that request has ended: its interrupt must not end the next one. Any
/// thread, no GIL.
void interrupt_request(std::uint64_t number);

/// Lets SIGINT through on the main thread for its lifetime. Interrupts older than the window are dropped. GIL
/// held.
class InterruptWindow {
 public:
  InterruptWindow();
  ~InterruptWindow();
  InterruptWindow(const InterruptWindow&) = delete;
  InterruptWindow& operator=(const InterruptWindow&) = delete;
};

/// Blocks all signals in the calling thread: a socket call that got EINTR half way would lose a message.
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
