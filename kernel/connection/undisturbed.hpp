// SPDX-License-Identifier: BSD-3-Clause
// Repeats calls on ZeroMQ's sockets that a signal (Python's interrupt) has ended. Such a call has done
// nothing.
#pragma once
#include <cerrno>
#include <zmq.hpp>

namespace gamelan::kernel {

template <class Call>
auto undisturbed(Call call) {
  for (;;) {
    try {
      return call();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }
}

}  // namespace gamelan::kernel
