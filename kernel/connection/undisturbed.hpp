// SPDX-License-Identifier: BSD-3-Clause
// Calls on ZeroMQ's sockets that a signal of Python's interrupts are made again: nothing has happened then.
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
