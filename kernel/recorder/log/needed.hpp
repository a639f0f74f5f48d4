// SPDX-License-Identifier: BSD-3-Clause
// What commands of a log need: arrays, and payloads of their batch.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "protocol/codec.hpp"
#include "protocol/commands.hpp"

namespace gamelan::kernel {

/// Has this command so many bytes of the program's own elements?
inline bool has_elements(const protocol::Command& command, const protocol::Batch& batch, std::size_t bytes) {
  return command.op == protocol::Op::constant &&
         batch.payloads[static_cast<std::size_t>(command.payload)].size() >= bytes;
}

/// So many that the log may have no room for them.
inline constexpr std::size_t large_payload = std::size_t{64} << 10;
/// So many that a log without elements leaves them out.
inline constexpr std::size_t left_out = std::size_t{4} << 10;

/// The first `count` commands of an encoded batch. Nothing is copied of its large payloads.
inline std::vector<protocol::Command> commands_of(const protocol::Frames& frames, std::size_t count) {
  auto commands = protocol::decode_without_elements(frames).commands;
  if (commands.size() > count) commands.resize(count);
  return commands;
}

/// Drops payloads that no command has any more.
inline void drop_unused_payloads(protocol::Batch& batch) {
  std::vector<protocol::Bytes> kept;
  for (auto& command : batch.commands) {
    if (command.payload < 0) continue;
    kept.push_back(std::move(batch.payloads[static_cast<std::size_t>(command.payload)]));
    command.payload = static_cast<std::int32_t>(kept.size() - 1);
  }
  batch.payloads = std::move(kept);
}

/// Calls `use` with each array that the command reads, and with the one it changes in place.
template <typename Use>
void for_each_needed(const protocol::Command& command, Use use) {
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<protocol::View>(&operand)) use(view->base);
  if (!command.creates) use(command.out.base);
}

}  // namespace gamelan::kernel
