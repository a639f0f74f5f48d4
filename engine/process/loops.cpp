// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/loops.hpp"

#include <chrono>
#include <cstdio>
#include <optional>

#include "protocol/codec.hpp"

namespace gamelan::engine {
namespace {

using protocol::Bytes;
using protocol::Error;

constexpr auto idle_turn = std::chrono::milliseconds(500);

/// Executes a request on this rank. All ranks get the same request, and errors of Configure are the same on
/// all; an exception of Session::execute is a bug of ours and ends the job.
protocol::Reply execute(Session& session, protocol::Request& request) {
  if (auto* batch = std::get_if<protocol::Batch>(&request)) return session.execute(*batch);
  if (const auto* wanted = std::get_if<protocol::Holding>(&request)) return session.hold(*wanted);
  protocol::Reply reply;
  reply.seq = protocol::sequence(request);
  if (const auto* wanted = std::get_if<protocol::Configure>(&request)) {
    try {
      session.configure(*wanted);
    } catch (const Error& error) {
      return protocol::failed_reply(reply.seq, error.kind(), error.what());
    }
  }
  return reply;
}

bool is_shutdown(const protocol::Request& request) {
  return std::holds_alternative<protocol::Shutdown>(request);
}

}  // namespace

void run_root_loop(Server& server, Board& board, Session& session) {
  for (;;) {
    std::optional<Server::Incoming> incoming = server.next(idle_turn);
    if (!incoming) {
      const double limit_s = server.idle_limit_s();
      if (limit_s <= 0 || server.seconds_since_client() < limit_s) continue;
      std::fprintf(stderr,
                   "gamelan-engine: no client was heard for %.0f s: leaving (--idle-timeout 0 stays)\n",
                   limit_s);
      board.exchange({});
      return;
    }
    board.clear_cut();
    if (server.is_cancelled()) board.request_cut();  // it came between `next` and here
    board.exchange(std::move(incoming->packed));
    server.reply(execute(session, incoming->request));
    if (is_shutdown(incoming->request)) return;
  }
}

void run_worker_loop(Board& board, Session& session) {
  for (;;) {
    const Bytes packed = board.exchange({});
    if (packed.empty()) return;
    protocol::Request request = protocol::decode_request(protocol::unpack(packed));
    execute(session, request);
    if (is_shutdown(request)) return;
  }
}

}  // namespace gamelan::engine
