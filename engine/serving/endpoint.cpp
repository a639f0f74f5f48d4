// SPDX-License-Identifier: BSD-3-Clause
// Binds the socket, makes the keys, and answers libzmq's question who may connect.
#include "engine/serving/endpoint.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/parts.hpp"

namespace gamelan::engine {
namespace {

using protocol::Error;
using protocol::ErrorKind;

constexpr int handshake_ms = 5'000;  // a client that sends nothing holds a descriptor no longer
constexpr int keepalive_s = 10, unacknowledged_ms = 30'000;
constexpr std::uint64_t logged_denials = 10;
constexpr rlim_t enough_descriptors = 65'536;
constexpr const char* zap_domain = "gamelan";
constexpr const char* events_address = "inproc://events";

/// IPv4 addresses of this host, in the order in which other machines are likely to reach them.
std::vector<std::string> interface_addresses() {
  std::vector<std::string> outside, loopback;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) throw Error(ErrorKind::os, std::string("getifaddrs: ") + std::strerror(errno));
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET || !(entry->ifa_flags & IFF_UP)) continue;
    char text[INET_ADDRSTRLEN];
    sockaddr_in address{};
    std::memcpy(&address, entry->ifa_addr, sizeof address);
    if (!inet_ntop(AF_INET, &address.sin_addr, text, sizeof text)) continue;
    ((entry->ifa_flags & IFF_LOOPBACK) ? loopback : outside).emplace_back(text);
  }
  freeifaddrs(list);
  outside.insert(outside.end(), loopback.begin(), loopback.end());
  return outside;
}

/// A port is open to everybody, and every connection to it takes a descriptor until its handshake has failed.
/// So allow many.
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, enough_descriptors));
  setrlimit(RLIMIT_NOFILE, &limit);  // as many as possible; fewer matter only under attack
}

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%03o", static_cast<unsigned>(mode & 0777));
  return text;
}

/// A process that may enter the directory may use the engines, so it must belong to our user, and nobody else
/// may enter.
void require_private(const std::string& directory) {
  struct stat facts {};
  if (stat(directory.c_str(), &facts) != 0)
    throw Error(ErrorKind::os,
                "directory of the connection file: " + directory + ": " + std::strerror(errno));
  if (!S_ISDIR(facts.st_mode)) throw Error(ErrorKind::os, directory + " is not a directory");
  if (facts.st_uid != geteuid())
    throw Error(ErrorKind::os, directory + " belongs to user " + std::to_string(facts.st_uid) +
                                   ", expected " + std::to_string(geteuid()) +
                                   ": the socket must lie in a directory of your own");
  if (facts.st_mode & 077)
    throw Error(ErrorKind::os, directory + " is open to others (mode " + octal(facts.st_mode) +
                                   "), so would be the socket in it: chmod 700 " + directory);
}

std::vector<zmq::message_t> receive_all(zmq::socket_t& socket) {
  std::vector<zmq::message_t> parts;
  do {
    parts.emplace_back();
    if (!undisturbed([&] { return socket.recv(parts.back(), zmq::recv_flags::dontwait); })) return {};
  } while (parts.back().more());
  return parts;
}

}  // namespace

Endpoint::Endpoint(const Options& options, protocol::Connection& connection)
    : gate_(context_, zmq::socket_type::rep),
      router_(context_, zmq::socket_type::router),
      events_(context_, zmq::socket_type::pair) {
  gate_.bind("inproc://zeromq.zap.01");
  if (zmq_socket_monitor(router_.handle(), events_address, ZMQ_EVENT_DISCONNECTED) != 0)
    throw Error(ErrorKind::os, std::string("zmq_socket_monitor: ") + zmq_strerror(errno));
  events_.set(zmq::sockopt::rcvhwm, 0);  // the thread that tells must never wait
  events_.set(zmq::sockopt::linger, 0);
  events_.connect(events_address);
  router_.set(zmq::sockopt::maxmsgsize, protocol::max_socket_part_bytes);
  router_.set(zmq::sockopt::handshake_ivl, handshake_ms);
  try {
    if (options.transport == Transport::ipc)
      bind_ipc(options, connection);
    else
      bind_tcp(options, connection);
  } catch (const zmq::error_t& error) {
    const std::string where = options.transport == Transport::ipc
                                  ? "ipc socket beside " + options.connection_file
                                  : "tcp address " + options.bind;
    throw Error(ErrorKind::os, "cannot listen on the " + where + ": " + error.what());
  }
}

void Endpoint::bind_ipc(const Options& options, protocol::Connection& connection) {
  const std::filesystem::path directory =
      std::filesystem::absolute(options.connection_file).lexically_normal().parent_path();
  require_private(directory.string());
  const std::string path = (directory / "engine.sock").string();
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    throw Error(ErrorKind::os, "the socket's path is too long for the system: " + path + " has " +
                                   std::to_string(path.size()) + " bytes, at most " +
                                   std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                                   ": put the connection file into a directory with a shorter name");
  router_.bind("ipc://" + path);
  connection.addresses = {"ipc://" + path};
  connection.server_public = connection.client_public = connection.client_secret = "";
}

void Endpoint::bind_tcp(const Options& options, protocol::Connection& connection) {
  allow_many_descriptors();
  constexpr std::size_t z85_bytes = 41;  // 40 characters and the NUL, as zmq_curve_keypair wants them
  char server_public[z85_bytes], server_secret[z85_bytes], client_public[z85_bytes], client_secret[z85_bytes];
  if (zmq_curve_keypair(server_public, server_secret) != 0 ||
      zmq_curve_keypair(client_public, client_secret) != 0)
    throw Error(ErrorKind::os,
                "libzmq was built without CURVE: tcp would be open to everyone; use --transport ipc");
  zmq_z85_decode(reinterpret_cast<std::uint8_t*>(client_key_.data()), client_public);
  router_.set(zmq::sockopt::zap_domain, zap_domain);
  router_.set(zmq::sockopt::curve_server, true);
  router_.set(zmq::sockopt::curve_secretkey, server_secret);
  // Ends connections whose other end has gone without closing them: their descriptors and waiting messages
  // are freed.
  router_.set(zmq::sockopt::tcp_keepalive, 1);
  router_.set(zmq::sockopt::tcp_keepalive_idle, keepalive_s);
  router_.set(zmq::sockopt::tcp_keepalive_intvl, keepalive_s);
  router_.set(zmq::sockopt::tcp_keepalive_cnt, 3);
  router_.set(zmq::sockopt::tcp_maxrt, unacknowledged_ms);
  router_.bind("tcp://" + options.bind + ":*");
  const std::string bound = router_.get(zmq::sockopt::last_endpoint);
  const std::string port = bound.substr(bound.rfind(':'));
  const bool is_everywhere = options.bind == "0.0.0.0" || options.bind == "*";
  connection.addresses.clear();
  for (const std::string& address :
       is_everywhere ? interface_addresses() : std::vector<std::string>{options.bind})
    connection.addresses.push_back("tcp://" + address + port);
  connection.server_public = server_public;
  connection.client_public = client_public;
  connection.client_secret = client_secret;
  explicit_bzero(server_secret,
                 sizeof server_secret);  // libzmq has its own copy; no other copy of ours may stay
  explicit_bzero(client_secret, sizeof client_secret);
}

void Endpoint::admit_or_deny() {
  // Frames of a ZAP request: version, id, domain, address, identity, mechanism, credentials.
  const std::vector<zmq::message_t> request = receive_all(gate_);
  if (request.empty()) return;
  const bool is_curve = request.size() == 7 && request[5].to_string_view() == "CURVE";
  const bool is_known = is_curve && request[6].size() == client_key_.size() &&
                        std::memcmp(request[6].data(), client_key_.data(), client_key_.size()) == 0;
  if (!is_known && ++denied_ <= logged_denials) {
    const std::string from = request.size() > 3 ? request[3].to_string() : "?";
    std::fprintf(stderr, "gamelan-engine: turned away a stranger from %s%s\n", from.c_str(),
                 denied_ == logged_denials ? " (more of them are only counted)" : "");
  }
  const std::string id = request.size() > 1 ? request[1].to_string() : "";
  for (const std::string& frame : {std::string("1.0"), id, std::string(is_known ? "200" : "400"),
                                   std::string(), std::string(is_known ? "client" : "")})
    undisturbed([&] { return gate_.send(zmq::buffer(frame), zmq::send_flags::sndmore); });
  undisturbed([&] { return gate_.send(zmq::message_t(), zmq::send_flags::none); });
}

bool Endpoint::take_closed() {
  bool is_closed = false;
  for (auto event = receive_all(events_); !event.empty(); event = receive_all(events_)) {
    std::uint16_t kind = 0;
    std::memcpy(&kind, event[0].data(), std::min(sizeof kind, event[0].size()));
    is_closed = is_closed || kind == ZMQ_EVENT_DISCONNECTED;
  }
  return is_closed;
}

void Endpoint::close(int linger_ms) {
  zmq_socket_monitor(router_.handle(), nullptr, 0);
  events_.close();
  router_.set(zmq::sockopt::linger, linger_ms);
  gate_.set(zmq::sockopt::linger, 0);
  router_.close();
  gate_.close();
  context_.close();
}

}  // namespace gamelan::engine
