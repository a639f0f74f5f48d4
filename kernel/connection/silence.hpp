// SPDX-License-Identifier: BSD-3-Clause
// For how long rank 0 was not heard, and whether that ends the wait for one on this machine, which somebody
// may have stopped (SIGSTOP, a debugger). Pure arithmetic: the failure detector tells it what it hears and
// sees.
#pragma once
#include <algorithm>
#include <chrono>

namespace gamelan::kernel {

class Silence {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Silence(Clock::time_point now) : last_look_(now) {}

  /// Rank 0 was heard, or bytes move.
  void end() { silence_ = stopped_until_ = {}; }
  /// Time counts while somebody looks: this process may be stopped for hours.
  void look(Clock::time_point now) {
    silence_ += std::min<Clock::duration>(now - last_look_, longest_look);
    last_look_ = now;
  }
  Clock::duration time() const { return silence_; }

  enum class Verdict { usual, waits, lost };
  /// Of a rank 0 on this machine; `is_stopped`: as of now. A stopped one is waited for as long as `patience`
  /// says, and that is known at once. From when it was last seen stopped, it has the `usual` time to answer.
  Verdict local_verdict(bool is_stopped, Clock::duration usual, Clock::duration patience) {
    if (is_stopped) stopped_until_ = silence_;
    if (silence_ <= usual) return is_stopped ? Verdict::waits : Verdict::usual;
    const auto limit = is_stopped ? std::max(usual, patience) : stopped_until_ + usual;
    return silence_ <= limit ? Verdict::waits : Verdict::lost;
  }

 private:
  static constexpr std::chrono::seconds longest_look{2};  // between two looks; else we were stopped
  Clock::time_point last_look_;
  Clock::duration silence_{};
  Clock::duration stopped_until_{};  // of this silence
};

}  // namespace gamelan::kernel
