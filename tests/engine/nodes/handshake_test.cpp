// SPDX-License-Identifier: BSD-3-Clause
// Leaders as threads of one process, on loopback addresses: real sockets, some of them slow, deaf or not
// ours.
#include "engine/nodes/handshake.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "protocol/error.hpp"

namespace gamelan::engine::nodes {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::uint32_t address(const char* text) {
  in_addr found{};
  inet_pton(AF_INET, text, &found);
  return found.s_addr;
}

sockaddr_in name_of(std::uint32_t host, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = host;
  return name;
}

/// Listens on one address only, so that somebody else can have the same port on another.
ListeningSocket listen_on(std::uint32_t host, std::uint16_t port = 0) {
  ListeningSocket listening{Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), 0};
  sockaddr_in name = name_of(host, port);
  socklen_t length = sizeof name;
  auto* any = reinterpret_cast<sockaddr*>(&name);
  EXPECT_EQ(bind(listening.socket.get(), any, sizeof name), 0) << std::strerror(errno);
  EXPECT_EQ(listen(listening.socket.get(), SOMAXCONN), 0);
  EXPECT_EQ(getsockname(listening.socket.get(), any, &length), 0);
  listening.port = ntohs(name.sin_port);
  return listening;
}

Descriptor connect_to(std::uint32_t host, std::uint16_t port) {
  Descriptor mouth(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in name = name_of(host, port);
  EXPECT_EQ(connect(mouth.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0)
      << std::strerror(errno);
  return mouth;
}

struct Ensemble {
  explicit Ensemble(int nodes, Settings chosen)
      : settings(chosen), rows(static_cast<std::size_t>(nodes)), listeners(rows.size()) {
    for (int node = 0; node < nodes; ++node) {
      LeaderInfo& info = rows[static_cast<std::size_t>(node)];
      std::snprintf(info.host.data(), info.host.size(), "host%d", node);
      info.addresses[0] = address("127.0.0.1");
      if (node * settings.fanout + 1 >= nodes) continue;
      auto& listening = listeners[static_cast<std::size_t>(node)] = listen_on(info.addresses[0]);
      info.port = listening.port;
    }
  }

  struct End {
    Neighbours neighbours;
    std::string error;
    double seconds = 0;
  };
  /// Everybody shakes hands; `late_s` says by how much a node comes late.
  std::vector<End> run(const std::function<double(int)>& late_s = [](int) { return 0.0; }) {
    std::vector<std::future<End>> ends;
    for (int node = 0; node < static_cast<int>(rows.size()); ++node)
      ends.push_back(std::async(std::launch::async, [this, node, late_s] {
        std::this_thread::sleep_for(std::chrono::duration<double>(late_s(node)));
        return meet(node);
      }));
    std::vector<End> all;
    for (auto& each : ends) all.push_back(each.get());
    return all;
  }
  End meet(int node) const {
    End end;
    const auto begin = Clock::now();
    try {
      end.neighbours = shake_hands({node, rows, secret}, settings, listeners[static_cast<std::size_t>(node)]);
    } catch (const protocol::Error& error) {
      end.error = error.what();
    }
    end.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return end;
  }

  Settings settings;
  Secret secret = draw();
  std::vector<LeaderInfo> rows;
  std::vector<ListeningSocket> listeners;
};

/// The first note on the link, within five seconds.
std::optional<Note> next_note(Link& link) {
  std::optional<Note> found;
  pollfd waiting{link.socket(), POLLIN, 0};
  while (!found && poll(&waiting, 1, 5000) > 0 && link.receive([&](Note note) { found = std::move(note); })) {
  }
  return found;
}

/// Every pair of neighbours is connected to each other, and to nobody else.
void expect_a_tree(std::vector<Ensemble::End>& ends, int fanout) {
  const int nodes = static_cast<int>(ends.size());
  for (int node = 0; node < nodes; ++node) {
    auto& end = ends[static_cast<std::size_t>(node)];
    ASSERT_EQ(end.error, "") << "node " << node;
    ASSERT_EQ(end.neighbours.parent != nullptr, node > 0);
    ASSERT_EQ(static_cast<int>(end.neighbours.children.size()),
              std::clamp(nodes - node * fanout - 1, 0, fanout));
    if (node > 0) end.neighbours.parent->send({Note::Kind::settled, static_cast<std::uint64_t>(node), 0, {}});
    for (auto& child : end.neighbours.children)
      child->send({Note::Kind::cut, static_cast<std::uint64_t>(node), 0, {}});
  }
  for (int node = 0; node < nodes; ++node) {
    auto& [parent, children] = ends[static_cast<std::size_t>(node)].neighbours;
    if (parent) {
      const auto note = next_note(*parent);
      ASSERT_TRUE(note && note->number == static_cast<std::uint64_t>((node - 1) / fanout)) << "node " << node;
      EXPECT_EQ(parent->peer(), "host" + std::to_string((node - 1) / fanout));
    }
    for (int k = 0; k < static_cast<int>(children.size()); ++k) {
      const auto note = next_note(*children[static_cast<std::size_t>(k)]);
      ASSERT_TRUE(note && note->number == static_cast<std::uint64_t>(node * fanout + 1 + k))
          << "node " << node;
    }
  }
}

TEST(Handshake, makes_a_tree_of_any_depth) {
  for (const int fanout : {1, 2, 3, 8})
    for (const int nodes : {1, 2, 4, 9, 20}) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes, fanout " + std::to_string(fanout));
      Ensemble ensemble(nodes, {.fanout = fanout, .start_limit_s = 10});
      auto ends = ensemble.run();
      expect_a_tree(ends, fanout);
    }
}

TEST(Handshake, a_middle_node_that_comes_late_is_waited_for) {
  Ensemble ensemble(15, {.fanout = 2, .start_limit_s = 10});
  auto ends = ensemble.run([](int node) { return node == 1 ? 4.0 : node == 2 ? 1.0 : 0.0; });
  expect_a_tree(ends, 2);
}

TEST(Handshake, addresses_at_which_nobody_speaks_keep_nobody_waiting) {
  Ensemble ensemble(7, {.fanout = 2, .start_limit_s = 10});
  std::vector<ListeningSocket>
      deaf;  // take connections and say nothing, as a firewall or another job's program would
  for (const int parent : {0, 1, 2}) {
    LeaderInfo& info = ensemble.rows[static_cast<std::size_t>(parent)];
    info.addresses = {address("127.0.0.2"), address("127.0.0.3"), address("127.0.0.4"), address("127.0.0.1")};
    for (int k = 0; k < 3; ++k)
      deaf.push_back(listen_on(info.addresses[static_cast<std::size_t>(k)], info.port));
  }
  auto ends = ensemble.run();
  expect_a_tree(ends, 2);
  for (const auto& each : ends) EXPECT_LT(each.seconds, 3);
}

TEST(Handshake, who_cannot_reach_whom_is_said_by_both) {
  Ensemble ensemble(4, {.fanout = 1, .start_limit_s = 1});
  const auto wall = listen_on(address("127.0.0.2"));
  ensemble.rows[1].addresses = {wall.port ? address("127.0.0.2") : 0};
  ensemble.rows[1].port = wall.port;  // node 2 gets no further than this
  const auto ends = ensemble.run();
  for (const std::size_t node : {1u, 2u}) {
    const auto& told = ends[node].error;
    EXPECT_NE(told.find("[nodes] host2 cannot reach host1 (127.0.0.2, port " + std::to_string(wall.port) +
                        ") within 1 s"),
              std::string::npos)
        << told;
    EXPECT_NE(told.find("a firewall between them?"), std::string::npos) << told;
    EXPECT_LT(ends[node].seconds, 2);
  }
  EXPECT_EQ(ends[0].error + ends[3].error, "") << "not their affair";
}

TEST(Handshake, an_address_that_refuses_at_first_is_called_again) {
  Ensemble ensemble(2, {.fanout = 1, .start_limit_s = 8});
  const auto port = ensemble.rows[0].port;
  ensemble.listeners[0] = ListeningSocket{};  // nobody is there
  auto child = std::async(std::launch::async, [&] { return ensemble.meet(1); });
  std::this_thread::sleep_for(500ms);
  ensemble.listeners[0] = listen_on(address("127.0.0.1"), port);
  auto root = ensemble.meet(0);
  EXPECT_EQ(root.error, "");
  EXPECT_EQ(child.get().error, "");
}

TEST(Handshake, strangers_at_the_door_are_sent_away_and_keep_nobody_waiting) {
  Ensemble ensemble(3, {.fanout = 2, .start_limit_s = 10});
  const auto port = ensemble.rows[0].port;
  std::vector<Descriptor> silent, talking;
  for (int k = 0; k < 40; ++k) silent.push_back(connect_to(address("127.0.0.1"), port));
  for (int k = 0; k < 40; ++k) {
    talking.push_back(connect_to(address("127.0.0.1"), port));
    std::array<char, 100> noise{};
    noise[32] = static_cast<char>(k % 4);  // some greet as a child of node 0, and then know no proof
    send(talking.back().get(), noise.data(), noise.size(), MSG_NOSIGNAL);
  }
  auto ends = ensemble.run();
  expect_a_tree(ends, 2);
  for (const auto& each : ends) EXPECT_LT(each.seconds, 3);
}

TEST(Handshake, a_greeting_that_was_given_up_is_not_taken_for_the_child) {
  Ensemble ensemble(2, {.fanout = 1, .start_limit_s = 10});
  std::array<char, 36> greeting{};
  greeting[32] = 1;
  for (const bool stays : {false, true}) {
    auto early = connect_to(address("127.0.0.1"), ensemble.rows[0].port);
    send(early.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
    if (!stays) early = Descriptor();
    auto ends = ensemble.run();
    expect_a_tree(ends, 1);
  }
}

/// A program of somebody else on the parent's port at another address: it passes on what it hears, both ways.
class Eavesdropper {
 public:
  Eavesdropper(std::uint32_t host, std::uint32_t parent, std::uint16_t port)
      : listening_(listen_on(host, port)), parent_(parent), thread_([this] { listen_in(); }) {}
  ~Eavesdropper() { stop(); }
  /// All that went through.
  const std::string& heard() {
    stop();
    return heard_;
  }

 private:
  struct Pair {
    Descriptor child, parent;
  };
  void stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void listen_in() {
    std::vector<Pair> pairs;
    while (!is_over_) {
      Descriptor guest(accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (guest.get() >= 0) pairs.push_back({std::move(guest), connect_to(parent_, listening_.port)});
      for (auto& each : pairs) {
        pass(each.child, each.parent);
        pass(each.parent, each.child);
      }
      std::this_thread::sleep_for(1ms);
    }
  }
  void pass(const Descriptor& from, const Descriptor& to) {
    char bytes[4096];
    const ssize_t got = recv(from.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0) return;
    heard_.append(bytes, static_cast<std::size_t>(got));
    send(to.get(), bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL);
  }

  ListeningSocket listening_;
  const std::uint32_t parent_;
  std::string heard_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

TEST(Handshake, nobody_can_stand_between_and_nobody_hears_the_secret) {
  Ensemble ensemble(2, {.fanout = 1, .start_limit_s = 4});
  ensemble.rows[0].addresses = {address("127.0.0.2")};  // the child finds the stranger only
  Eavesdropper stranger(address("127.0.0.2"), address("127.0.0.1"), ensemble.rows[0].port);
  auto ends = ensemble.run();
  EXPECT_NE(ends[0].error, "") << "a parent took a stranger for its child";
  EXPECT_NE(ends[1].error, "") << "a child took a stranger for its parent";

  ensemble.rows[0].addresses = {address("127.0.0.2"), address("127.0.0.1")};
  ends = ensemble.run();
  expect_a_tree(ends, 1);
  const std::string secret(reinterpret_cast<const char*>(ensemble.secret.data()), ensemble.secret.size());
  EXPECT_GT(stranger.heard().size(), 100u) << "it was called and it passed on what was said";
  EXPECT_EQ(stranger.heard().find(secret), std::string::npos);
}

TEST(Handshake, another_secret_is_refused) {
  Ensemble ensemble(2, {.fanout = 1, .start_limit_s = 2});
  auto other = std::async(std::launch::async, [&] {
    LeaderTable leaders{1, ensemble.rows, draw()};
    EXPECT_THROW(shake_hands(leaders, ensemble.settings, {}), protocol::Error);
  });
  EXPECT_NE(ensemble.meet(0).error, "");
  other.get();
}

}  // namespace
}  // namespace gamelan::engine::nodes
