// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/handshake.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace gamelan::engine::nodes {
namespace {

using protocol::Error;
using protocol::ErrorKind;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_addresses = 12;
constexpr auto connect_limit = std::chrono::seconds(3);   // for one address
constexpr auto children_limit = std::chrono::seconds(30);  // for all of them

/// Where a leader listens.
struct Place {
  char host[64];
  std::uint32_t addresses[most_addresses];  ///< IPv4, network order; 0 ends
  std::uint16_t port;
};
struct Greeting {
  std::array<std::byte, 32> secret;
  std::int32_t node;
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { if (number_ >= 0) close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::os, "[nodes] " + what); }

int listen_for(int children) {
  Descriptor ear(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  if (ear.get() < 0 || bind(ear.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) != 0 || listen(ear.get(), children + 8) != 0)
    fail(std::string("cannot listen for the other nodes: ") + std::strerror(errno));
  return ear.release();
}

Place own_place(int ear) {
  Place place{};
  gethostname(place.host, sizeof place.host - 1);
  sockaddr_in bound{};
  socklen_t length = sizeof bound;
  if (ear >= 0 && getsockname(ear, reinterpret_cast<sockaddr*>(&bound), &length) == 0) place.port = ntohs(bound.sin_port);
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) fail(std::string("cannot list the network interfaces: ") + std::strerror(errno));
  std::size_t count = 0;
  for (const bool wants_loopback : {false, true})  // nodes may be pretended on one machine without a network
    for (const ifaddrs* each = interfaces; each; each = each->ifa_next) {
      if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || !(each->ifa_flags & IFF_UP)) continue;
      if (((each->ifa_flags & IFF_LOOPBACK) != 0) != wants_loopback || count == most_addresses) continue;
      place.addresses[count++] = reinterpret_cast<sockaddr_in*>(each->ifa_addr)->sin_addr.s_addr;
    }
  freeifaddrs(interfaces);
  return place;
}

bool wait_until(int socket, short events, Clock::time_point end) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd each{socket, events, 0};
    const int ready = poll(&each, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// All of `bytes`, or false at `end`.
bool read_whole(int socket, void* bytes, std::size_t count, Clock::time_point end) {
  for (std::size_t done = 0; done < count;) {
    if (!wait_until(socket, POLLIN, end)) return false;
    const ssize_t got = recv(socket, static_cast<std::byte*>(bytes) + done, count - done, 0);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

/// A socket connected to an address on which somebody knows the secret; -1 when there is none.
int try_address(std::uint32_t address, std::uint16_t port, const Greeting& greeting) {
  Descriptor mouth(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(port);
  there.sin_addr.s_addr = address;
  const auto end = Clock::now() + connect_limit;
  if (connect(mouth.get(), reinterpret_cast<sockaddr*>(&there), sizeof there) != 0 && errno != EINPROGRESS) return -1;
  int error = 0;
  socklen_t length = sizeof error;
  if (!wait_until(mouth.get(), POLLOUT, end) || getsockopt(mouth.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) return -1;
  fcntl(mouth.get(), F_SETFL, fcntl(mouth.get(), F_GETFL) & ~O_NONBLOCK);
  if (send(mouth.get(), &greeting, sizeof greeting, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof greeting)) return -1;
  Greeting answer;
  if (!read_whole(mouth.get(), &answer, sizeof answer, end) || answer.secret != greeting.secret) return -1;
  return mouth.release();
}

int connect_to(const Place& parent, const Greeting& greeting) {
  for (const auto address : parent.addresses)
    if (address != 0)
      if (const int socket = try_address(address, parent.port, greeting); socket >= 0) return socket;
  std::string tried;
  char text[INET_ADDRSTRLEN];
  for (const auto address : parent.addresses)
    if (address != 0) tried += (tried.empty() ? "" : ", ") + std::string(inet_ntop(AF_INET, &address, text, sizeof text));
  fail("cannot reach node " + std::string(parent.host) + " (" + tried + ", port " + std::to_string(parent.port) +
       "): nodes of a job must be able to open TCP connections to each other; a firewall between them?");
}

/// Accepts the nodes [first, last), in whatever order they come; strangers are sent away.
std::vector<std::unique_ptr<Link>> accept_children(int ear, int first, int last, const Greeting& mine, const std::vector<Place>& places) {
  std::vector<std::unique_ptr<Link>> children(static_cast<std::size_t>(last - first));
  const auto end = Clock::now() + children_limit;
  for (int missing = last - first; missing > 0;) {
    if (!wait_until(ear, POLLIN, end)) {
      std::string names;
      for (int node = first; node < last; ++node)
        if (!children[static_cast<std::size_t>(node - first)]) names += std::string(names.empty() ? "" : ", ") + places[static_cast<std::size_t>(node)].host;
      fail("no connection from " + names + " within " + std::to_string(children_limit.count()) + " s");
    }
    Descriptor guest(accept4(ear, nullptr, nullptr, SOCK_CLOEXEC));
    Greeting greeting;
    if (guest.get() < 0 || !read_whole(guest.get(), &greeting, sizeof greeting, std::min(end, Clock::now() + connect_limit))) continue;
    if (greeting.secret != mine.secret || greeting.node < first || greeting.node >= last) continue;
    auto& child = children[static_cast<std::size_t>(greeting.node - first)];
    if (child || send(guest.get(), &mine, sizeof mine, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof mine)) continue;
    child = std::make_unique<Link>(guest.release(), places[static_cast<std::size_t>(greeting.node)].host);
    --missing;
  }
  return children;
}

}  // namespace

Neighbours connect_leaders(Comm& comm, int fanout) {
  int node = 0, nodes = 0;
  MPI_Comm_rank(comm.leaders(), &node);
  MPI_Comm_size(comm.leaders(), &nodes);
  const int first = std::min(nodes, node * fanout + 1), last = std::min(nodes, first + fanout);

  // What goes wrong here must not keep the others waiting in the collectives.
  std::optional<Error> problem;
  Greeting greeting{};
  greeting.node = node;
  Place place{};
  int ear = -1;
  try {
    if (node == 0 && getrandom(greeting.secret.data(), greeting.secret.size(), 0) != static_cast<ssize_t>(greeting.secret.size()))
      fail("no random numbers");
    if (first < last) ear = listen_for(last - first);
    place = own_place(ear);
  } catch (const Error& error) {
    problem = error;
  }
  const Descriptor listening(ear);
  std::vector<Place> places(static_cast<std::size_t>(nodes));
  MPI_Allgather(&place, sizeof place, MPI_BYTE, places.data(), sizeof place, MPI_BYTE, comm.leaders());
  MPI_Bcast(greeting.secret.data(), static_cast<int>(greeting.secret.size()), MPI_BYTE, 0, comm.leaders());
  if (problem) throw *problem;

  Neighbours neighbours;
  if (node > 0) {
    const auto& parent = places[static_cast<std::size_t>((node - 1) / fanout)];
    neighbours.parent = std::make_unique<Link>(connect_to(parent, greeting), parent.host);
  }
  neighbours.children = accept_children(ear, first, last, greeting, places);
  return neighbours;
}

}  // namespace gamelan::engine::nodes
