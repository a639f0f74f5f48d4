// SPDX-License-Identifier: BSD-3-Clause
// Finds every mistake that a client can make in a batch, before anything runs: unknown arrays, views outside
// their base, operands of the wrong shape or dtype. The kernel makes no such mistakes, but a broken or
// hostile client may.
#pragma once
#include <functional>
#include <optional>
#include <unordered_map>

#include "protocol/message.hpp"

namespace gamelan::engine {

/// The first command that cannot run, and why. The same on all ranks.
struct Refusal {
  std::int64_t command;
  protocol::Error error;
};

class Checker {
 public:
  /// `bytes_of(id)`: bytes of an existing array; nullopt when there is none; throws the cause when the array
  /// is lost. `exists(id)`: true when a new array must not take that id.
  Checker(std::function<std::optional<std::int64_t>(protocol::ArrayId)> bytes_of,
          std::function<bool(protocol::ArrayId)> exists)
      : bytes_of_(std::move(bytes_of)), exists_(std::move(exists)) {}

  std::optional<Refusal> find_fault(const protocol::Batch& batch);

 private:
  void check(const protocol::Batch& batch, const protocol::Command& command) const;
  void check_view(const protocol::View& view, bool is_written) const;
  std::optional<protocol::Error> fault_of(const protocol::View& view) const;

  std::function<std::optional<std::int64_t>(protocol::ArrayId)> bytes_of_;
  std::function<bool(protocol::ArrayId)> exists_;
  std::unordered_map<protocol::ArrayId, protocol::View> made_;  // by earlier commands of the batch
};

}  // namespace gamelan::engine
