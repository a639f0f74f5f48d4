// SPDX-License-Identifier: BSD-3-Clause
// Why an array was never computed. Kept with the id of the array until it dies, and raised when it is read.
#pragma once
#include <memory>
#include <string>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// The error to raise, and the line that recorded the command.
struct Failure {
  protocol::ErrorKind kind = protocol::ErrorKind::internal;
  std::string message;
  protocol::Origin origin;
};
using FailurePtr = std::shared_ptr<const Failure>;

/// The failure of an array that was not computed because of an interrupt.
inline FailurePtr interrupted(const protocol::Origin& origin) {
  return std::make_shared<const Failure>(
      Failure{protocol::ErrorKind::cancelled, "Lost: interrupted before it was computed", origin});
}

}  // namespace gamelan::kernel
