// SPDX-License-Identifier: BSD-3-Clause
// What this side keeps of a batch after it was sent, until its reply has come.
#pragma once
#include "kernel/recorder/float_errors.hpp"
// (Python.h first)
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/recorder/failure.hpp"
#include "kernel/recorder/log/command_log.hpp"
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// A call of the user's whose commands are sent in more than one batch. When the call or the engines end
/// between two of these, its arrays are half made.
struct SplitCall {
  std::unordered_set<protocol::ArrayId> written;  // by commands that have run
  bool is_broken = false;
};
using SplitCallPtr = std::shared_ptr<SplitCall>;

/// A batch that was sent: its number, which arrays its commands write, and which calls have commands in it.
struct SentBatch {
  struct Written {
    protocol::ArrayId id;
    std::uint64_t call;
    std::uint32_t origin;
    bool is_created;
  };
  std::uint64_t seq = 0;     ///< by which its reply is found; another one when it was sent again
  std::uint64_t number = 0;  ///< in the order of the program
  SharedFrames frames;       ///< what was sent; null when nothing is kept to be sent again
  std::vector<FileStamp> files;
  bool asks_for_sum = false;  ///< the last payload of its reply is the answer (log/sums.hpp)
  std::chrono::steady_clock::time_point sent_at{};
  std::uint64_t engines = 0;     ///< to which it was sent last (Engines::generation)
  int losses = 0;                ///< how often engines were lost while it was the oldest without a reply
  std::vector<Written> written;  ///< by command
  std::vector<std::pair<std::uint64_t, SplitCallPtr>> split_calls;  ///< by number
  std::vector<protocol::Origin> origins;
  std::vector<protocol::ArrayId> freed;
  std::vector<protocol::ArrayId> made_by_rider;  ///< by commands that ride along behind `written`
  FloatListeners listeners;
  std::uint64_t epoch = 0;    ///< as it was sent
  std::int64_t work = 0;      ///< of its commands, roughly (work.hpp)
  bool is_behind = false;     ///< an interrupt has ended the program that recorded it; it runs all the same
  bool is_abandoned = false;  ///< a second interrupt has cut it: its reply says where
  std::shared_ptr<protocol::Reply> played;  ///< a reply that did not come from engines; else null

  /// Why the array that this command makes is lost, when the batch was interrupted.
  FailurePtr interrupted_at(std::size_t command) const {
    const auto origin = command < written.size() ? written[command].origin : origins.size();
    return interrupted(origin < origins.size() ? origins[origin] : protocol::Origin{});
  }
};

}  // namespace gamelan::kernel
