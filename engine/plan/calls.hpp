// SPDX-License-Identifier: BSD-3-Clause
// Which commands of a batch are one call of the user's (np.gradient(x)): neighbours with one origin. The
// client gives others different ones, also where both were written in one line. Commands from nowhere are
// calls of their own. Whoever ends a batch early ends it between calls.
#pragma once
#include "protocol/message.hpp"

namespace gamelan::engine::plan {

/// True when the command belongs to the call of the one before it.
inline bool goes_on(const protocol::Batch& batch, std::size_t command) {
  if (command == 0 || command >= batch.commands.size()) return false;
  const auto origin = batch.commands[command].origin;
  return origin < batch.origins.size() && !batch.origins[origin].file.empty() &&
         origin == batch.commands[command - 1].origin;
}

/// The first command of the call that this one belongs to.
inline std::size_t first_of_call(const protocol::Batch& batch, std::size_t command) {
  while (goes_on(batch, command)) --command;
  return command;
}

}  // namespace gamelan::engine::plan
