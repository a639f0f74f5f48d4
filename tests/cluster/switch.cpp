// SPDX-License-Identifier: BSD-3-Clause
// The network of the test cluster: an Ethernet switch in user space, a TAP device per host. Decides when a
// frame arrives: each host has a full-duplex link of a settable rate, each way costs a settable delay, a cut
// port loses every frame. Driven by tests/cluster/network.py over a socket; knows nothing of Slurm, MPI or
// addresses above Ethernet. Usage: switch CONTROL_SOCKET
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Nanoseconds = std::int64_t;
using Mac = std::array<std::uint8_t, 6>;

// With the header of virtio the kernel hands over TCP segments of up to 64 KiB: 40 times fewer system calls.
constexpr std::size_t virtio_header_bytes = 10;
constexpr std::size_t ethernet_header_bytes = 14;
constexpr std::size_t most_frame_bytes = 70'000;
constexpr std::size_t most_queued_bytes = std::size_t{64} << 20;
constexpr Nanoseconds read_ahead = 100'000;  // a card is never further behind: the rest waits in its host
constexpr int reads_per_turn = 16;
constexpr int real_time_priority = 10;

Nanoseconds now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct Frame {
  Nanoseconds due;
  std::vector<std::uint8_t> bytes;
};

struct Port {
  int tap = -1;
  bool is_cut = false;
  Nanoseconds sends_until = 0, receives_until = 0;  // when the two directions of its link are free again
  std::deque<Frame> arriving;
  std::size_t queued_bytes = 0;
  std::uint64_t frames_in = 0, bytes_in = 0, frames_out = 0, bytes_out = 0, dropped = 0;
};

/// A TAP device `eth0` in the network namespace at `path`; closing it removes the device.
int open_tap(const std::string& path, const Mac& mac) {
  const int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  const int there = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (here < 0 || there < 0) fail("open " + path);
  if (setns(there, CLONE_NEWNET) != 0) fail("setns " + path);
  const int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  std::strcpy(request.ifr_name, "eth0");
  const bool is_made = tap >= 0 && ioctl(tap, TUNSETIFF, &request) == 0 &&
                       ioctl(tap, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) == 0;
  request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  std::copy(mac.begin(), mac.end(), request.ifr_hwaddr.sa_data);
  const bool is_named = is_made && ioctl(tap, SIOCSIFHWADDR, &request) == 0;
  const int error = errno;
  if (setns(here, CLONE_NEWNET) != 0) fail("setns back");
  close(here);
  close(there);
  if (is_named) return tap;
  close(tap);
  errno = error;
  fail("a TAP device in " + path);
}

class Switch {
 public:
  explicit Switch(const std::string& control_path) {
    listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (control_path.size() >= sizeof address.sun_path)
      throw std::runtime_error("path too long: " + control_path);
    std::copy(control_path.begin(), control_path.end(), address.sun_path);
    if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener_, 8) != 0)
      fail(control_path);
  }

  [[noreturn]] void run() {
    for (;;) wait(deliver());
  }

 private:
  /// Hands over what is due; when the next frame will be, or the next sender's link is free.
  Nanoseconds deliver() {
    const Nanoseconds time = now();
    Nanoseconds next = INT64_MAX;
    for (auto& [name, port] : ports_) {
      while (!port.arriving.empty() && port.arriving.front().due <= time) {
        const Frame& frame = port.arriving.front();
        const bool has_arrived =
            !port.is_cut && port.tap >= 0 && write(port.tap, frame.bytes.data(), frame.bytes.size()) >= 0;
        port.dropped += !has_arrived;
        port.frames_out += has_arrived;
        port.bytes_out += has_arrived ? frame.bytes.size() - virtio_header_bytes : 0;
        port.queued_bytes -= frame.bytes.size();
        port.arriving.pop_front();
      }
      if (!port.arriving.empty()) next = std::min(next, port.arriving.front().due);
      if (port.sends_until > time + read_ahead) next = std::min(next, port.sends_until - read_ahead);
    }
    return next;
  }

  void wait(Nanoseconds until) {
    polled_.clear();
    senders_.clear();
    polled_.push_back({listener_, POLLIN, 0});
    for (const int client : clients_) polled_.push_back({client, POLLIN, 0});
    const std::size_t first_port = polled_.size();
    const Nanoseconds time = now();
    for (auto& [name, port] : ports_)
      if (port.tap >= 0 && port.sends_until <= time + read_ahead) {
        polled_.push_back({port.tap, POLLIN, 0});
        senders_.push_back(&port);
      }
    const Nanoseconds rest = std::max<Nanoseconds>(0, until - now());
    const timespec limit{rest / 1'000'000'000, rest % 1'000'000'000};
    if (ppoll(polled_.data(), polled_.size(), until == INT64_MAX ? nullptr : &limit, nullptr) <= 0) return;
    for (std::size_t at = first_port; at < polled_.size(); ++at)
      if (polled_[at].revents & POLLIN) read_from(*senders_[at - first_port]);
    std::erase_if(clients_, [&](int client) {
      const auto is_its = [&](const pollfd& entry) { return entry.fd == client; };
      return std::find_if(polled_.begin() + 1, polled_.end(), is_its)->revents && !serve(client);
    });
    if (!(polled_.front().revents & POLLIN)) return;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) clients_.push_back(client);
  }

  void read_from(Port& sender) {
    static std::array<std::uint8_t, most_frame_bytes> buffer;
    for (int turn = 0; turn < reads_per_turn && sender.sends_until <= now() + read_ahead; ++turn) {
      const ssize_t got = read(sender.tap, buffer.data(), buffer.size());
      if (got <= static_cast<ssize_t>(virtio_header_bytes + ethernet_header_bytes)) return;
      const std::size_t bytes = static_cast<std::size_t>(got);
      ++sender.frames_in;
      sender.bytes_in += bytes - virtio_header_bytes;
      const Nanoseconds starts = std::max(now(), sender.sends_until);
      sender.sends_until = starts + on_the_wire(bytes);
      if (sender.is_cut) {
        ++sender.dropped;
        continue;
      }
      Mac to, from;
      std::copy_n(buffer.begin() + virtio_header_bytes, to.size(), to.begin());
      std::copy_n(buffer.begin() + virtio_header_bytes + to.size(), from.size(), from.begin());
      learned_[from] = &sender;
      const auto known = learned_.find(to);
      for (auto& [name, port] : ports_)
        if (&port != &sender && (known == learned_.end() || known->second == &port))
          send(port, buffer.data(), bytes, starts);
    }
  }

  /// Cut-through: the first bit leaves towards `port` while the last has not yet come in. One flow sees the
  /// rate once; flows from one host share its uplink, flows to one host its downlink.
  void send(Port& port, const std::uint8_t* data, std::size_t bytes, Nanoseconds starts) {
    if (port.tap < 0 || port.is_cut || port.queued_bytes + bytes > most_queued_bytes) {
      ++port.dropped;
      return;
    }
    port.receives_until = std::max(starts, port.receives_until) + on_the_wire(bytes);
    port.queued_bytes += bytes;
    port.arriving.push_back({port.receives_until + delay_, {data, data + bytes}});
  }

  Nanoseconds on_the_wire(std::size_t bytes) const {
    return static_cast<Nanoseconds>(static_cast<double>(bytes - virtio_header_bytes) * nanoseconds_per_byte_);
  }

  /// Answers one command; false when the client has left.
  bool serve(int client) {
    std::array<char, 4096> text{};
    const ssize_t got = recv(client, text.data(), text.size() - 1, 0);
    if (got <= 0) {
      close(client);
      return false;
    }
    std::string answer;
    try {
      answer = obey(text.data());
    } catch (const std::exception& error) {
      answer = std::string("error: ") + error.what();
    }
    ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
    return true;
  }

  std::string obey(const std::string& command) {
    std::istringstream words(command);
    std::string verb, name;
    words >> verb;
    if (verb == "link") {
      double delay_us = -1, rate_mbit = -1;  // rate 0: as fast as the machine
      words >> delay_us >> rate_mbit;
      if (!words || delay_us < 0 || rate_mbit < 0) throw std::runtime_error("link wants: delay_us rate_mbit");
      delay_ = static_cast<Nanoseconds>(delay_us * 1000);
      nanoseconds_per_byte_ = rate_mbit > 0 ? 8000 / rate_mbit : 0;
      return "ok";
    }
    if (verb == "count") return count();
    words >> name;
    if (verb == "plug") {
      std::string path;
      unsigned number = 0;
      words >> path >> number;
      if (!words || number > 255) throw std::runtime_error("plug wants: name namespace number");
      unplug(name);
      ports_[name].tap = open_tap(path, {2, 0, 0, 0, 0, static_cast<std::uint8_t>(number)});
      return "ok";
    }
    if (!ports_.contains(name)) throw std::runtime_error("no port " + name);
    if (verb == "unplug")
      unplug(name);
    else if (verb == "cut" || verb == "heal")
      ports_[name].is_cut = verb == "cut";
    else
      throw std::runtime_error("no command " + verb);
    return "ok";
  }

  /// Takes the device away with all that is on its way to it; the counters and a cut stay.
  void unplug(const std::string& name) {
    Port& port = ports_[name];
    if (port.tap >= 0) close(port.tap);
    port.tap = -1;
    port.arriving.clear();
    port.queued_bytes = 0;
    port.sends_until = port.receives_until = 0;
  }

  std::string count() const {
    std::ostringstream text;
    for (const auto& [name, port] : ports_)
      text << name << ' ' << port.frames_in << ' ' << port.bytes_in << ' ' << port.frames_out << ' '
           << port.bytes_out << ' ' << port.dropped << '\n';
    return text.str();
  }

  int listener_ = -1;
  std::vector<int> clients_;
  std::map<std::string, Port> ports_;
  std::map<Mac, Port*> learned_;
  std::vector<pollfd> polled_;
  std::vector<Port*> senders_;
  Nanoseconds delay_ = 0;
  double nanoseconds_per_byte_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: switch CONTROL_SOCKET\n", stderr);
    return 2;
  }
  // Ranks that wait busily would starve us and be measured as latency. Not allowed everywhere.
  const sched_param priority{.sched_priority = real_time_priority};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0)
    std::fprintf(stderr, "switch: no real-time priority (%s): delays are longer while ranks are busy\n",
                 std::strerror(errno));
  prctl(PR_SET_TIMERSLACK, 1000UL);
  try {
    Switch(argv[1]).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "switch: %s\n", error.what());
    return 1;
  }
}
