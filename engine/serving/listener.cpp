// SPDX-License-Identifier: BSD-3-Clause
// `dispatch` is the one place with try/catch: whatever arrives, exactly one reply is sent, and nothing else
// changes.
#include "engine/serving/listener.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "protocol/ops.hpp"
#include "protocol/parts.hpp"

namespace gamelan::engine {
namespace {

using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;

constexpr auto lateness = std::chrono::seconds(1);  // of a busy machine
constexpr double long_request_s = 3;                // then the ranks are looked at: one may be stopped
constexpr int messages_per_turn = 64;               // then the gate and the outbox get a turn

Bytes to_bytes(const zmq::message_t& message) {
  const auto* first = static_cast<const std::byte*>(message.data());
  return Bytes(first, first + message.size());
}

/// A message that is a part of a frame. It holds the frames, so large results are not copied again.
zmq::message_t to_message(const Clients::SharedFrames& frames, std::span<const std::byte> part) {
  constexpr std::size_t worth_sharing = 4'096;
  if (part.size() < worth_sharing) return zmq::message_t(part.data(), part.size());
  auto held = std::make_unique<Clients::SharedFrames>(frames);
  zmq::message_t message(
      const_cast<std::byte*>(part.data()), part.size(),
      [](void*, void* hint) { delete static_cast<Clients::SharedFrames*>(hint); }, held.get());
  static_cast<void>(held.release());
  return message;
}

protocol::Reply success(std::uint64_t seq, std::string info) {
  protocol::Reply reply;
  reply.seq = seq;
  reply.info = std::move(info);
  return reply;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

/// What a greeting says of this machine's lanes.
std::string with_lane(const std::string& info, const std::optional<protocol::LaneOffer>& offer) {
  nlohmann::json told = nlohmann::json::parse(info);
  if (offer)
    told["lane"] = {{"process_id", offer->process_id},
                    {"descriptor", offer->descriptor},
                    {"proof", offer->proof},
                    {"layout", offer->layout}};
  return told.dump();
}

/// The request in one buffer, and its number, also when it is malformed.
protocol::Request decode(const Bytes& packed, std::uint64_t& seq) {
  try {
    protocol::Request request = protocol::decode_request(protocol::unpack(packed));
    seq = protocol::sequence(request);
    return request;
  } catch (const Error&) {
    seq = protocol::peek_sequence(protocol::unpack(packed));  // throws the same where that is the cause
    throw;
  }
}

/// A client may be silent for as long as the engines wait without any client.
Clients::Limits limits_of(const Options& options) {
  Clients::Limits limits;
  if (options.idle_timeout_s > 0)
    limits.silence = std::min(limits.silence, std::chrono::duration_cast<Clients::Clock::duration>(
                                                  std::chrono::duration<double>(options.idle_timeout_s)));
  limits.lease =
      std::chrono::duration_cast<Clients::Clock::duration>(std::chrono::duration<double>(options.lease_s));
  return limits;
}

}  // namespace

void ring(int event_fd) {
  const std::uint64_t one = 1;
  while (write(event_fd, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

Listener::Listener(const Options& options, protocol::Connection connection, ServerCallbacks callbacks)
    : connection_(std::move(connection)),
      idle_timeout_s_(options.idle_timeout_s),
      lease_s_(options.lease_s),
      has_lanes_(options.has_lanes),
      callbacks_(std::move(callbacks)),
      endpoint_(options, connection_),
      clients_(limits_of(options)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      lanes_(connection_.ranks + 1),
      collector_(callbacks_.status, [this](const Bytes& client, const protocol::Reply& reply) {
        post(client, reply.seq, protocol::encode(reply));
        wake();
      }) {
  if (wake_fd_ < 0) throw Error(ErrorKind::os, std::string("eventfd: ") + std::strerror(errno));
  note_client();
}

Listener::~Listener() { ::close(wake_fd_); }

void Listener::note_client() {
  heard_s_.store(std::chrono::duration<double>(Clock::now().time_since_epoch()).count());
}

double Listener::seconds_since_client() const {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count() - heard_s_.load();
}

double Listener::idle_limit_s() const {
  if (idle_timeout_s_ <= 0) return idle_timeout_s_;
  return std::max(idle_timeout_s_, patience_s_.load());
}

void Listener::watch_connections() {
  // One that closes after a silence was cut off.
  if (endpoint_.take_closed()) clients_.note_closed();
  patience_s_.store(std::chrono::duration<double>(clients_.patience()).count());
}

void Listener::forgive_lateness(Clock::time_point begin, std::chrono::milliseconds limit) {
  const auto now = Clock::now();
  if (now - begin - limit <= lateness) return;
  // This process was stopped: the clients were not silent then. Several threads may say so of the same stop.
  const double late = std::chrono::duration<double>(now - begin - limit).count();
  const double latest = std::chrono::duration<double>(now.time_since_epoch()).count();
  double heard = heard_s_.load();
  while (!heard_s_.compare_exchange_weak(heard, std::min(heard + late, latest))) {
  }
}

void Listener::post(const Bytes& client, std::uint64_t seq, Frames frames) {
  const std::lock_guard lock(mutex_);
  outbox_.push_back({client, seq, std::move(frames)});
}

void Listener::flush() {
  std::deque<Posted> ready;
  {
    const std::lock_guard lock(mutex_);
    ready.swap(outbox_);
  }
  for (Posted& each : ready) answer(each.client, each.seq, std::move(each.frames));
}

void Listener::serve(std::chrono::milliseconds limit) {
  zmq::pollitem_t items[] = {{endpoint_.router().handle(), 0, ZMQ_POLLIN, 0},
                             {endpoint_.gate().handle(), 0, ZMQ_POLLIN, 0},
                             {nullptr, wake_fd_, ZMQ_POLLIN, 0},
                             {endpoint_.events().handle(), 0, ZMQ_POLLIN, 0}};
  const auto begin = Clock::now();
  if (zmq_poll(items, static_cast<int>(std::size(items)), limit.count()) < 0) {
    if (errno == EINTR) return;
    throw Error(ErrorKind::os, std::string("zmq_poll: ") + zmq_strerror(errno));
  }
  forgive_lateness(begin, limit);
  if (items[2].revents) {
    std::uint64_t count = 0;
    if (read(wake_fd_, &count, sizeof count) < 0 && errno != EAGAIN) throw Error(ErrorKind::os, "eventfd");
  }
  if (items[1].revents) endpoint_.admit_or_deny();
  clients_.look();
  end_leases();
  lanes_.sweep();
  flush();
  watch_connections();
  if (items[0].revents) receive();
}

void Listener::receive() {
  for (int count = 0; count < messages_per_turn; ++count) {
    zmq::message_t part;
    if (!undisturbed([&] { return endpoint_.router().recv(part, zmq::recv_flags::dontwait); })) return;
    const Bytes routing_id = to_bytes(part);
    protocol::Joiner joiner(protocol::max_request_bytes);
    while (part.more()) {
      if (!undisturbed([&] { return endpoint_.router().recv(part, zmq::recv_flags::none); })) return;
      joiner.add({static_cast<const std::byte*>(part.data()), part.size()});
    }
    if (joiner.is_too_long())
      refuse(routing_id, joiner.take());
    else
      dispatch(routing_id, joiner.take());
  }
}

void Listener::read_lanes() {
  const std::lock_guard lock(lanes_mutex_);
  while (inbox_.has_room())
    if (auto message = lanes_.take())
      admit(std::move(*message));
    else
      return;
}

void Listener::admit(Lanes::Message message) {
  protocol::Reply reply;
  std::uint64_t seq = 0;
  try {
    protocol::Request request = decode(message.packed, seq);
    note_client();
    const bool is_ours = std::holds_alternative<protocol::Batch>(request) ||
                         std::holds_alternative<protocol::Configure>(request);
    if (!is_ours) throw Error(ErrorKind::protocol, "this request belongs to the socket");
    auto refusal =
        inbox_.admit({message.client, message.claim, std::move(message.packed), std::move(request)});
    if (!refusal) return;
    reply = std::move(*refusal);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::protocol) ++malformed_;
    reply = protocol::failed_reply(seq, error.kind(), error.what());
  } catch (const std::exception& error) {
    reply =
        protocol::failed_reply(seq, ErrorKind::internal, std::string("the engine's server: ") + error.what());
  }
  lanes_.reply(message.claim, reply.seq, protocol::encode(reply));
}

void Listener::refuse(const Bytes& routing_id, const Frames& header) {
  clients_.hear(routing_id);
  ++malformed_;
  const auto reply = protocol::failed_reply(
      protocol::peek_sequence(header), ErrorKind::protocol,
      "the request is too long: at most " + std::to_string(protocol::max_frames) + " frames and " +
          std::to_string(protocol::max_request_bytes >> 20) + " MiB; cut it");
  send(routing_id, std::make_shared<const Frames>(protocol::encode(reply)));
}

void Listener::dispatch(const Bytes& routing_id, Frames frames) {
  read_lanes();  // what a client wrote there before it sent this comes first
  const Bytes client = clients_.hear(routing_id);
  protocol::Reply reply;
  try {
    protocol::Request request = protocol::decode_request(frames);
    note_client();
    clients_.release(client, protocol::heard(request));
    if (const auto* hello = std::get_if<protocol::Hello>(&request)) {
      reply = greet(*hello);
    } else if (std::holds_alternative<protocol::Heartbeat>(request)) {
      reply = success(protocol::sequence(request), heartbeat_for(client));
    } else {
      const std::uint64_t seq = protocol::sequence(request);
      std::optional<protocol::Reply> known = take(client, std::move(frames), std::move(request));
      if (known) answer(client, seq, protocol::encode(*known));
      return;
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::protocol) ++malformed_;
    reply = protocol::failed_reply(protocol::peek_sequence(frames), error.kind(), error.what());
  } catch (const std::exception& error) {
    reply = protocol::failed_reply(protocol::peek_sequence(frames), ErrorKind::internal,
                                   std::string("the engine's server: ") + error.what());
  }
  send(routing_id, std::make_shared<const Frames>(protocol::encode(reply)));
}

/// What rank 0 is doing. Only the client for which it works learns the program and the line.
std::string Listener::heartbeat_for(const Bytes& client) const {
  nlohmann::json told = callbacks_.heartbeat();
  if (inbox_.state().busy_s > long_request_s) told.update(callbacks_.stopped());
  if (!inbox_.is_executing_of(client))
    for (const char* own : {"batch", "file", "line"}) told.erase(own);
  return told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<protocol::Reply> Listener::take(const Bytes& client, Frames frames, protocol::Request request) {
  const std::uint64_t seq = protocol::sequence(request);
  switch (clients_.admit(client, seq)) {
    case Clients::Seen::fresh:
      break;
    case Clients::Seen::waiting:
      return std::nullopt;
    case Clients::Seen::answered:
      send(clients_.routing_id(client), clients_.reply(client, seq));
      return std::nullopt;
    case Clients::Seen::forgotten:
      return protocol::failed_reply(seq, ErrorKind::internal,
                                    "request " + std::to_string(seq) +
                                        " came again after its reply was forgotten; "
                                        "it was done, and is not done twice");
  }
  try {
    if (const auto* cut = std::get_if<protocol::Cancel>(&request)) return cancel(client, *cut);
    if (std::holds_alternative<protocol::StatusRequest>(request))
      return collector_.ask(client, seq, describe(client));
    Incoming incoming{client, std::nullopt, protocol::pack(frames), std::move(request)};
    const auto* holding = std::get_if<protocol::Holding>(&incoming.request);
    const auto told = holding != nullptr ? std::optional(*holding) : std::nullopt;
    auto refusal =
        told ? admit_holding(client, *told, std::move(incoming)) : inbox_.admit(std::move(incoming));
    if (!refusal) lanes_.ring();  // the main thread may wait at the bell; it will reply
    return refusal;
  } catch (const std::exception& error) {
    return protocol::failed_reply(seq, ErrorKind::internal,
                                  std::string("the engine's server: ") + error.what());
  }
}

protocol::Reply Listener::greet(const protocol::Hello& hello) {
  if (hello.version == protocol::protocol_version && hello.fingerprint == protocol::fingerprint())
    return success(hello.seq, with_lane(callbacks_.hello_info(), has_lanes_ ? lanes_.offer() : std::nullopt));
  return protocol::failed_reply(
      hello.seq, ErrorKind::version,
      "client and engines were built from different sources: the engines speak protocol " +
          std::to_string(protocol::protocol_version) + " with op table " + hex(protocol::fingerprint()) +
          ", this client protocol " + std::to_string(hello.version) + " with op table " +
          hex(hello.fingerprint) +
          "; build both from the same source (cmake --build build) and restart the engines (gamelan "
          "engines stop) and the notebook's kernel");
}

nlohmann::json Listener::describe(const Bytes& asker) const {
  const Inbox::State work = inbox_.state();
  return {{"session", connection_.session},
          {"host", connection_.host},
          {"pid", connection_.pid},
          {"ranks", connection_.ranks},
          {"slurm_job_id", connection_.slurm_job_id},
          {"uptime_seconds", std::chrono::duration<double>(Clock::now() - started_).count()},
          {"idle_timeout_seconds", idle_timeout_s_},
          {"busy_seconds", work.busy_s},
          {"is_busy", work.is_busy},
          {"queued", work.queued},
          {"malformed", malformed_.load()},
          {"clients", clients_.count()},
          {"others", clients_.living_besides(asker)},
          {"kept_replies", clients_.kept_replies()},
          {"kept_bytes", clients_.kept_bytes()},
          {"denied", endpoint_.denied()}};
}

protocol::Reply Listener::cancel(const Bytes& client, const protocol::Cancel& request) {
  for (const Incoming& item : inbox_.cancel(client, request.batch)) {
    const auto reply = cancelled_reply(protocol::sequence(item.request));
    answer({item.client, item.lane, reply.seq}, protocol::encode(reply));
  }
  return success(request.seq, "{}");
}

void Listener::answer(const Inbox::Waiting& request, Frames frames) {
  if (!request.lane || !lanes_.reply(*request.lane, request.seq, frames))
    answer(request.client, request.seq, std::move(frames));
}

void Listener::answer(const Bytes& client, std::uint64_t seq, Frames frames) {
  if (client.empty()) return;  // rank 0 itself has asked
  const auto reply = std::make_shared<const Frames>(std::move(frames));
  clients_.answer(client, seq, reply);
  send(clients_.routing_id(client), reply);
}

void Listener::send(const Bytes& routing_id, const Clients::SharedFrames& frames) {
  // A ROUTER drops messages for a client that is gone; it neither blocks nor throws.
  const auto send_part = [&](zmq::message_t part, bool is_last) {
    const auto flags = is_last ? zmq::send_flags::none : zmq::send_flags::sndmore;
    undisturbed([&] { return endpoint_.router().send(part, flags); });
  };
  send_part(zmq::message_t(routing_id.data(), routing_id.size()), false);
  for (std::size_t index = 0; index < frames->size(); ++index) {
    const Bytes& frame = (*frames)[index];
    const std::size_t parts = protocol::part_count(frame.size());
    for (std::size_t part = 0; part < parts; ++part)
      send_part(to_message(frames, protocol::part(frame, part)),
                index + 1 == frames->size() && part + 1 == parts);
  }
}

void Listener::refuse_waiting(const std::string& why) {
  read_lanes();
  for (const Inbox::Waiting& each : inbox_.give_up())
    answer(each, protocol::encode(protocol::failed_reply(each.seq, ErrorKind::engine_lost, why)));
  for (const StatusCollector::Asked& each : collector_.give_up())
    answer(each.client, each.seq,
           protocol::encode(protocol::failed_reply(each.seq, ErrorKind::engine_lost, why)));
}

}  // namespace gamelan::engine
