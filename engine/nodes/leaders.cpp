// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/leaders.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace gamelan::engine::nodes {
namespace {

using protocol::Error;
using protocol::ErrorKind;

static_assert(std::is_trivially_copyable_v<LeaderInfo>);

/// Writes this host's addresses, as many as there is room for; loopback last, for simulated nodes on a
/// machine without a network.
void write_addresses(LeaderInfo& info) {
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0)
    throw Error(ErrorKind::os,
                std::string("[nodes] cannot list the network interfaces: ") + std::strerror(errno));
  std::size_t count = 0;
  for (const bool wants_loopback : {false, true})
    for (const ifaddrs* each = interfaces; each; each = each->ifa_next) {
      if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || !(each->ifa_flags & IFF_UP)) continue;
      if (((each->ifa_flags & IFF_LOOPBACK) != 0) != wants_loopback || count == info.addresses.size())
        continue;
      info.addresses[count++] = reinterpret_cast<sockaddr_in*>(each->ifa_addr)->sin_addr.s_addr;
    }
  freeifaddrs(interfaces);
}

}  // namespace

Neighbours connect_leaders(Comm& comm, const Settings& settings) {
  LeaderTable leaders;
  int nodes = 0;
  MPI_Comm_rank(comm.leaders(), &leaders.node);
  MPI_Comm_size(comm.leaders(), &nodes);

  // An error here must not keep the other ranks waiting in the collectives.
  LeaderInfo own;
  ListeningSocket listening;
  gethostname(own.host.data(), own.host.size() - 1);
  try {
    if (leaders.node == 0) leaders.secret = draw();
    if (leaders.node * settings.fanout + 1 < nodes) listening = listen_for_children();
    own.port = listening.port;
    write_addresses(own);
  } catch (const Error& error) {
    std::snprintf(own.problem.data(), own.problem.size(), "%s", error.what());
  }
  leaders.rows.resize(static_cast<std::size_t>(nodes));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, leaders.rows.data(), sizeof own, MPI_BYTE, comm.leaders());
  MPI_Bcast(leaders.secret.data(), static_cast<int>(leaders.secret.size()), MPI_BYTE, 0, comm.leaders());
  for (const LeaderInfo& each : leaders.rows)
    if (each.problem[0])
      throw Error(ErrorKind::os, std::string(each.problem.data()) + " (on " + each.host.data() + ")");
  return shake_hands(leaders, settings, listening);
}

}  // namespace gamelan::engine::nodes
