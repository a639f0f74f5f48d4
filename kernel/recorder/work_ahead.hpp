// SPDX-License-Identifier: BSD-3-Clause
// How many commands were sent, and which batches have no reply yet: the figures of a progress bar. Outcomes
// updates it; Python reads it while it waits. Needs the GIL.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

namespace gamelan::kernel {

class WorkAhead {
 public:
  void sent(std::uint64_t seq, std::size_t commands) {
    sent_commands_ += commands;
    unanswered_[seq] = commands;
  }
  void answered(std::uint64_t seq) { unanswered_.erase(seq); }
  void lost() { unanswered_.clear(); }

  std::uint64_t sent_commands() const { return sent_commands_; }
  /// Commands by the number of their batch.
  const std::map<std::uint64_t, std::size_t>& unanswered() const { return unanswered_; }

 private:
  std::uint64_t sent_commands_ = 0;
  std::map<std::uint64_t, std::size_t> unanswered_;
};

}  // namespace gamelan::kernel
