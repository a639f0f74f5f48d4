// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/call_number.hpp"

#include <utility>

namespace gamelan::kernel::call_number {

namespace {

struct Here {
  int depth = 0;
  std::uint64_t number = 0;  // of the outermost call, once it has recorded something
};
thread_local constinit Here here;
std::uint64_t last_number = 0;  // guarded by the GIL

}  // namespace

void enter() noexcept { ++here.depth; }

std::uint64_t leave() noexcept { return --here.depth > 0 ? 0 : std::exchange(here.number, 0); }

int depth() noexcept { return here.depth; }

std::uint64_t recording() noexcept {
  if (here.depth == 0) return 0;
  if (here.number == 0) here.number = ++last_number;
  return here.number;
}

std::uint64_t begun() noexcept { return here.number; }

std::uint64_t renew() noexcept { return std::exchange(here.number, 0); }

}  // namespace gamelan::kernel::call_number
