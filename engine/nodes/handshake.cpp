// SPDX-License-Identifier: BSD-3-Clause
// The child sends a greeting, the parent answers with its proof, the child ends with its own proof. A child
// sends its proof only once, on the connection that it keeps, so a parent never accepts the same child twice.
#include "engine/nodes/handshake.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "engine/nodes/awake_clock.hpp"

namespace gamelan::engine::nodes {
namespace {

using protocol::Error;
using protocol::ErrorKind;

constexpr int turn_ms = 200;
constexpr double longest_look_s = 2;
constexpr double call_again_s = 1;  // before an address that did not answer is called again
constexpr std::size_t most_guests =
    256;  // at a time; beyond that the oldest is closed, which had the most time to answer

struct Greeting {
  Nonce nonce;
  std::int32_t node;
};
struct Answer {
  Nonce nonce;
  Proof proof;
};
static_assert(sizeof(Greeting) == 36 && sizeof(Answer) == 64);

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::os, "[nodes] " + what); }

/// A connection whose handshake is not finished.
struct Talk {
  Descriptor socket;
  std::size_t address = 0;   ///< of a child's: which of the parent's
  bool has_greeted = false;  ///< the child has spoken
  bool is_over = false;
  Meeting meeting;
  std::array<std::byte, sizeof(Answer)> bytes{};  ///< of a message that may not be whole yet
  std::size_t count = 0;

  template <class Message>
  bool say(const Message& message) {
    return send(socket.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(sizeof message);
  }
  enum class Got { part, whole, end };
  template <class Message>
  Got hear(Message& message) {
    const ssize_t got = recv(socket.get(), bytes.data() + count, sizeof message - count, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Got::part;
    if (got <= 0) return Got::end;
    count += static_cast<std::size_t>(got);
    if (count < sizeof message) return Got::part;
    std::memcpy(&message, bytes.data(), sizeof message);
    count = 0;
    return Got::whole;
  }
};

class Handshake {
 public:
  Handshake(const LeaderTable& leaders, const Settings& settings, const ListeningSocket& listening)
      : leaders_(leaders),
        settings_(settings),
        listening_(listening),
        first_(std::min(nodes(), leaders.node * settings.fanout + 1)) {
    neighbours_.children.resize(
        static_cast<std::size_t>(std::min(nodes(), first_ + settings.fanout) - first_));
    missing_ = neighbours_.children.size();
  }

  Neighbours run() {
    AwakeClock clock(longest_look_s);
    double elapsed_s = 0;
    while (!has_parent() || missing_ > 0) {
      if (elapsed_s >= settings_.start_limit_s) fail(what_is_missing());
      if (!has_parent()) call_parent(elapsed_s);
      take_turn();
      elapsed_s += clock.look();
    }
    return std::move(neighbours_);
  }

 private:
  int nodes() const { return static_cast<int>(leaders_.rows.size()); }
  const LeaderInfo& row(int node) const { return leaders_.rows[static_cast<std::size_t>(node)]; }
  int parent() const { return leaders_.parent(settings_.fanout); }
  bool has_parent() const { return leaders_.node == 0 || neighbours_.parent; }

  void call_parent(double now_s);
  void take_turn();
  // False when the connection is over.
  bool go_on_with_call(Talk& call);
  bool go_on_with_guest(Talk& guest);
  void let_guests_in();
  std::unique_ptr<Link> link_of(Talk& talk, int node) const;
  std::string what_is_missing() const;

  const LeaderTable& leaders_;
  const Settings& settings_;
  const ListeningSocket& listening_;
  const int first_;  ///< child
  std::size_t missing_ = 0;
  Neighbours neighbours_;
  std::vector<Talk> calls_, guests_;
  std::array<double, std::tuple_size_v<decltype(LeaderInfo::addresses)>>
      call_at_s_{};  ///< by address of the parent
};

void Handshake::call_parent(double now_s) {
  const LeaderInfo& there = row(parent());
  for (std::size_t k = 0; k < there.addresses.size() && there.addresses[k] != 0; ++k) {
    if (now_s < call_at_s_[k] ||
        std::any_of(calls_.begin(), calls_.end(), [k](const Talk& call) { return call.address == k; }))
      continue;
    call_at_s_[k] = now_s + call_again_s;
    Talk call;
    call.socket = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (call.socket.get() < 0)
      fail(std::string(row(leaders_.node).host.data()) + " cannot open a socket: " + std::strerror(errno));
    call.address = k;
    call.meeting = {leaders_.node, parent(), there.addresses[k], there.port, draw(), {}};
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(there.port);
    name.sin_addr.s_addr = there.addresses[k];
    if (connect(call.socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 ||
        errno == EINPROGRESS)
      calls_.push_back(std::move(call));
  }
}

/// Waits a short time for events, and handles those that happened.
void Handshake::take_turn() {
  std::vector<pollfd> polled;
  for (const Talk& call : calls_)
    polled.push_back({call.socket.get(), static_cast<short>(call.has_greeted ? POLLIN : POLLOUT), 0});
  for (const Talk& guest : guests_) polled.push_back({guest.socket.get(), POLLIN, 0});
  polled.push_back({missing_ > 0 ? listening_.socket.get() : -1, POLLIN, 0});
  if (poll(polled.data(), polled.size(), turn_ms) <= 0) return;
  auto each = polled.begin();
  for (Talk& call : calls_) call.is_over = (each++)->revents && !go_on_with_call(call);
  for (Talk& guest : guests_) guest.is_over = (each++)->revents && !go_on_with_guest(guest);
  const auto is_over = [](const Talk& talk) { return talk.is_over; };
  std::erase_if(calls_, is_over);
  std::erase_if(guests_, is_over);
  if (has_parent()) calls_.clear();
  if (each->revents) let_guests_in();
}

bool Handshake::go_on_with_call(Talk& call) {
  if (has_parent()) return false;  // another address was faster
  if (!call.has_greeted) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(call.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) return false;
    call.has_greeted = true;
    return call.say(Greeting{call.meeting.from_child, leaders_.node});
  }
  Answer answer;
  if (const auto got = call.hear(answer); got != Talk::Got::whole) return got == Talk::Got::part;
  call.meeting.from_parent = answer.nonce;
  if (!is_proof(answer.proof, leaders_.secret, Side::parent, call.meeting)) return false;
  if (call.say(prove(leaders_.secret, Side::child, call.meeting)))
    neighbours_.parent = link_of(call, parent());
  return false;
}

bool Handshake::go_on_with_guest(Talk& guest) {
  if (!guest.has_greeted) {
    Greeting greeting;
    if (const auto got = guest.hear(greeting); got != Talk::Got::whole) return got == Talk::Got::part;
    if (greeting.node < first_ || greeting.node - first_ >= static_cast<int>(neighbours_.children.size()))
      return false;
    sockaddr_in called{};
    socklen_t length = sizeof called;
    if (getsockname(guest.socket.get(), reinterpret_cast<sockaddr*>(&called), &length) != 0) return false;
    guest.has_greeted = true;
    guest.meeting = {greeting.node,          leaders_.node,  called.sin_addr.s_addr,
                     ntohs(called.sin_port), greeting.nonce, draw()};
    return guest.say(Answer{guest.meeting.from_parent, prove(leaders_.secret, Side::parent, guest.meeting)});
  }
  Proof proof;
  if (const auto got = guest.hear(proof); got != Talk::Got::whole) return got == Talk::Got::part;
  auto& child = neighbours_.children[static_cast<std::size_t>(guest.meeting.child - first_)];
  if (child || !is_proof(proof, leaders_.secret, Side::child, guest.meeting)) return false;
  child = link_of(guest, guest.meeting.child);
  --missing_;
  return false;
}

void Handshake::let_guests_in() {
  for (;;) {
    Talk guest;
    guest.socket =
        Descriptor(accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (guest.socket.get() < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        fail(std::string(row(leaders_.node).host.data()) +
             " cannot accept the other nodes' connections: " + std::strerror(errno));
      return;
    }
    if (guests_.size() == most_guests) guests_.erase(guests_.begin());
    guests_.push_back(std::move(guest));
  }
}

std::unique_ptr<Link> Handshake::link_of(Talk& talk, int node) const {
  fcntl(talk.socket.get(), F_SETFL, fcntl(talk.socket.get(), F_GETFL) & ~O_NONBLOCK);
  return std::make_unique<Link>(talk.socket.release(), row(node).host.data());
}

/// Parent and child describe the problem in the same words, because the user may be told by either.
std::string Handshake::what_is_missing() const {
  const LeaderInfo& called = row(has_parent() ? leaders_.node : parent());
  std::string who;
  if (!has_parent())
    who = row(leaders_.node).host.data();
  else
    for (std::size_t k = 0; k < neighbours_.children.size(); ++k)
      if (!neighbours_.children[k])
        who += (who.empty() ? "" : ", ") + std::string(row(first_ + static_cast<int>(k)).host.data());
  std::string where;
  char text[INET_ADDRSTRLEN];
  for (const auto address : called.addresses)
    if (address != 0)
      where += (where.empty() ? "" : ", ") + std::string(inet_ntop(AF_INET, &address, text, sizeof text));
  return who + " cannot reach " + called.host.data() + " (" + where + ", port " +
         std::to_string(called.port) + ") within " +
         std::to_string(static_cast<int>(settings_.start_limit_s)) +
         " s: nodes of a job must be able to open TCP connections to each other; a firewall between them?";
}

}  // namespace

ListeningSocket listen_for_children() {
  ListeningSocket listening{Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), 0};
  sockaddr_in name{};
  name.sin_family = AF_INET;
  socklen_t length = sizeof name;
  auto* any = reinterpret_cast<sockaddr*>(&name);
  if (listening.socket.get() < 0 || bind(listening.socket.get(), any, sizeof name) != 0 ||
      listen(listening.socket.get(), SOMAXCONN) != 0 ||
      getsockname(listening.socket.get(), any, &length) != 0)
    fail(std::string("cannot listen for the other nodes: ") + std::strerror(errno));
  listening.port = ntohs(name.sin_port);
  return listening;
}

Neighbours shake_hands(const LeaderTable& leaders, const Settings& settings,
                       const ListeningSocket& listening) {
  return Handshake(leaders, settings, listening).run();
}

}  // namespace gamelan::engine::nodes
