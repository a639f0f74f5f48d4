// SPDX-License-Identifier: BSD-3-Clause
// Which commands of a batch belong to one call of the user's (np.gradient(x)): neighbouring commands with one
// origin. The client gives different calls different origins, also on one line. A command without an origin
// is a call by itself. A batch that is ended early ends between two calls.
#pragma once
#include "protocol/message.hpp"

namespace gamelan::engine::plan {

/// True when the command belongs to the same call as the one before it.
inline bool goes_on(const protocol::Batch& batch, std::size_t command) {
  if (command == 0 || command >= batch.commands.size()) return false;
  const auto origin = batch.commands[command].origin;
  return origin < batch.origins.size() && !batch.origins[origin].file.empty() &&
         origin == batch.commands[command - 1].origin;
}

/// The first command of the call to which this one belongs.
inline std::size_t first_of_call(const protocol::Batch& batch, std::size_t command) {
  while (goes_on(batch, command)) --command;
  return command;
}

}  // namespace gamelan::engine::plan
