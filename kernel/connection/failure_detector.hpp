// SPDX-License-Identifier: BSD-3-Clause
// When do the engines count as lost, and when is another connection tried? Decided from silence, from bytes
// that move and from closed connections. Rank 0 answers heartbeats even while it computes, so a long silence
// means that the process, its node or the network is gone. The client tells it what happens on the channel
// and asks it after each wait. It knows no message, sends nothing and never waits. By the holder of the
// channel only.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "kernel/connection/silence.hpp"

namespace gamelan::kernel {

class Channel;

class FailureDetector {
 public:
  using Clock = std::chrono::steady_clock;

  /// `host`, `process`: whom the channel leads to, as messages say it. The channel must outlive the detector.
  /// Throws nothing.
  FailureDetector(std::string host, std::int64_t process, Channel& channel);

  /// For how long engines that were reached once may be silent before they count as lost, at least ten
  /// seconds. Of engines on this machine: as long as rank 0 is stopped. For all detectors; any thread.
  static void set_patience(std::chrono::seconds patience);
  static std::chrono::seconds patience();

  /// The channel has a new connection.
  void note_connected();
  /// The channel has lost its connection.
  void note_disconnected();
  /// Rank 0 was heard: a reply has come.
  void note_heard();

  /// Looks at the channel; to be called every second at least while this process runs. Says why the engines
  /// count as lost from now on, in words for people; nullopt while they do not. May have the channel look for
  /// another connection. Throws what Channel throws.
  std::optional<std::string> look();
  /// Why nothing is heard, while the engines are waited for longer than usual; nullopt otherwise.
  std::optional<std::string> suspension() const { return suspension_; }

 private:
  void look_at_traffic(Clock::time_point now);
  std::optional<std::string> look_at_local(Clock::time_point now);
  std::optional<std::string> look_at_remote(Clock::time_point now);
  Clock::duration allowance() const;
  std::string explain(const std::string& cause) const;

  const std::string host_;
  const std::int64_t process_;  // rank 0's, on its machine
  std::optional<std::string> suspension_;
  Channel& channel_;
  bool was_connected_ = false;
  Silence silence_;
  Clock::time_point opened_, last_progress_;
  std::optional<Clock::time_point> disconnected_;
  std::uint64_t received_ = 0, acknowledged_ = 0;  // bytes, at the last look at the traffic
  std::uint64_t given_when_heard_ = 0;             // bytes that a tunnel had taken when rank 0 was last heard
};

}  // namespace gamelan::kernel
