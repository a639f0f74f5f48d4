// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/publisher.hpp"

#include <utility>

#include "kernel/front/interrupt.hpp"

namespace gamelan::kernel {
namespace {

constexpr auto replace_bad_utf8 = nl::json::error_handler_t::replace;

}  // namespace

Publisher::Publisher(zmq::context_t& context, const std::string& endpoint, const Signer& signer)
    : signer_(signer), socket_(context, zmq::socket_type::pub) {
  // The default of 1,000 waiting messages would drop the `idle` of a cell that displays a lot, and with it
  // hang the front end for ever. Streams are joined before they come here, so the queue stays short in
  // practice.
  socket_.set(zmq::sockopt::sndhwm, 0);
  socket_.set(zmq::sockopt::linger, linger_ms);
  socket_.bind(endpoint);
}

void Publisher::set_session(const std::string& user, const std::string& session) {
  const std::lock_guard lock(mutex_);
  user_ = user;
  session_ = session;
}

void Publisher::set_parent(const nl::json& header) {
  const std::lock_guard lock(mutex_);
  parent_ = header.dump(-1, ' ', false, replace_bad_utf8);
}

std::string Publisher::parent_header() const {
  const std::lock_guard lock(mutex_);
  return parent_;
}

void Publisher::publish(const std::string& type, const std::string& content, const std::string& metadata,
                        const Buffers& buffers) {
  const HoldSignals no_interrupt_half_way;
  const std::lock_guard lock(mutex_);
  send_locked(parent_, type, content, metadata, buffers);
}

void Publisher::publish_for(const nl::json& parent, const std::string& type, const std::string& content) {
  const HoldSignals no_interrupt_half_way;
  const std::lock_guard lock(mutex_);
  send_locked(parent.dump(-1, ' ', false, replace_bad_utf8), type, content, "{}", {});
}

void Publisher::forward(const xeus::xpub_message& message) {
  const HoldSignals no_interrupt_half_way;
  auto frames = frames_of(message, signer_);
  const std::lock_guard lock(mutex_);
  frames.send(socket_);
}

void Publisher::send_locked(const std::string& parent, const std::string& type, const std::string& content,
                            const std::string& metadata, const Buffers& buffers) {
  const std::string header = xeus::make_header(type, user_, session_).dump(-1, ' ', false, replace_bad_utf8);
  zmq::multipart_t frames;
  frames.addstr("kernel." + type);
  frames.addstr(std::string(delimiter));
  frames.addstr(signer_.sign({header, parent, metadata, content}));
  for (const std::string* part : {&header, &parent, &metadata, &content}) frames.addstr(*part);
  for (const std::string& buffer : buffers) frames.addstr(buffer);
  frames.send(socket_);
}

}  // namespace gamelan::kernel
