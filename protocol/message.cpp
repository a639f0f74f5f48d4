// SPDX-License-Identifier: BSD-3-Clause
// What every message has in common.
#include "protocol/message.hpp"

namespace gamelan::protocol {

std::uint64_t sequence(const Request& request) {
  return std::visit([](const auto& message) { return message.seq; }, request);
}

}  // namespace gamelan::protocol
