// SPDX-License-Identifier: BSD-3-Clause
// What this side keeps of a batch from when it is sent until its outcome is booked.
#pragma once
#include "kernel/recorder/float_errors.hpp"
// (Python.h first)
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/recorder/failure.hpp"
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// A call of the user's whose commands left in more than one batch, or may yet. Whatever ends between them
/// leaves arrays half made.
struct SplitCall {
  std::unordered_set<protocol::ArrayId> written;  // by commands that have run
  bool is_broken = false;
};
using SplitCallPtr = std::shared_ptr<SplitCall>;

struct SentBatch {
  struct Written {
    protocol::ArrayId id;
    std::uint64_t call;
    std::uint32_t origin;
    bool is_created;
  };
  std::uint64_t seq = 0;
  std::vector<Written> written;                                     ///< by command
  std::vector<std::pair<std::uint64_t, SplitCallPtr>> split_calls;  ///< by number
  std::vector<protocol::Origin> origins;
  std::vector<protocol::ArrayId> freed;
  FloatListeners listeners;
  bool is_abandoned = false;  ///< interrupted: its reply is awaited only to learn where it was cut
  std::shared_ptr<protocol::Reply> played;  ///< by a model of the engines; null when engines will answer

  /// Why the array is lost that this command was to make, when the batch was interrupted.
  FailurePtr interrupted_at(std::size_t command) const {
    const auto origin = command < written.size() ? written[command].origin : origins.size();
    return interrupted(origin < origins.size() ? origins[origin] : protocol::Origin{});
  }
};

}  // namespace gamelan::kernel
