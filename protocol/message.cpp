// SPDX-License-Identifier: BSD-3-Clause
// What every message has in common.
#include "protocol/message.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gamelan::protocol {

bool is_of_batches(std::string_view option) {
  constexpr std::string_view names[] = {"keep_unread", "disable_passes", "compile", "balance", "tiling"};
  return std::find(std::begin(names), std::end(names), option) != std::end(names);
}

Reply failed_reply(std::uint64_t seq, ErrorKind kind, std::string message) {
  Reply reply;
  reply.seq = seq;
  reply.outcome = Outcome::failed;
  reply.error = kind;
  reply.message = std::move(message);
  return reply;
}

std::uint64_t sequence(const Request& request) {
  return std::visit([](const auto& message) { return message.seq; }, request);
}

std::uint64_t heard(const Request& request) {
  if (const auto* batch = std::get_if<Batch>(&request)) return batch->heard;
  if (const auto* beat = std::get_if<Heartbeat>(&request)) return beat->heard;
  return 0;
}

}  // namespace gamelan::protocol
