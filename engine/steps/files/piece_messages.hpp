// SPDX-License-Identifier: BSD-3-Clause
// How ranks tell each other which pieces they have, and send their bytes: in rounds, so that the memory for
// messages is known before the first one. Everything here is collective; every wait ends when a rank dies.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/ranks/comm.hpp"

namespace gamelan::engine::steps {

/// The most bytes of a message.
constexpr std::int64_t piece_message_bytes = std::int64_t{1} << 22;

/// The words of all ranks, in their order. Collective.
std::vector<std::vector<std::int64_t>> words_of_all(Comm& comm, const std::vector<std::int64_t>& mine);
/// The lowest rank of each rank's node. Collective.
std::vector<int> leaders_of_all(Comm& comm);

/// What `work` throws as an error that ranks can throw together; nothing where it throws none.
template <class Work>
std::optional<protocol::Error> error_of(Work work) {
  try {
    work();
  } catch (const protocol::Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return protocol::Error(protocol::ErrorKind::memory,
                           "[checkpoint] no memory for messages: start engines with less heap");
  } catch (const std::exception& error) {
    return protocol::Error(protocol::ErrorKind::os, error.what());
  }
  return std::nullopt;
}

/// The first thing that has gone wrong while messages went on: a rank that stopped would leave the others
/// waiting. It has its memory before that.
class FirstProblem {
 public:
  /// False when the work threw something.
  template <class Work>
  bool attempt(Work work) {
    try {
      const auto failure = error_of(work);
      if (failure && !first_) first_ = failure;
      return !failure;
    } catch (const std::bad_alloc&) {  // for the text of an error
      if (!first_) first_ = no_memory_;
      return false;
    }
  }
  const std::optional<protocol::Error>& first() const { return first_; }

 private:
  protocol::Error no_memory_{protocol::ErrorKind::memory, "[checkpoint] no memory"};
  std::optional<protocol::Error> first_;
};

/// Messages of one round after the other. Once it is made, it takes no memory.
class PieceRounds {
 public:
  /// Takes memory for what comes and goes in any round, in bytes, and for its messages. Throws
  /// std::bad_alloc.
  PieceRounds(Comm& comm, std::size_t coming, std::size_t going, std::size_t messages);
  /// After a dead rank MPI may still write to the memory: then it is not given back.
  ~PieceRounds();
  PieceRounds(const PieceRounds&) = delete;
  PieceRounds& operator=(const PieceRounds&) = delete;

  /// Where `bytes` bytes of a rank will be after `wait`.
  std::span<std::byte> receive(int from, std::int64_t bytes);
  /// Memory for `bytes` bytes that go.
  std::span<std::byte> room(std::int64_t bytes);
  /// Sends bytes of `room`.
  void send(int to, std::span<const std::byte> bytes);
  /// Ends the round: all of its messages have come and gone.
  void wait();

 private:
  Comm& comm_;
  std::unique_ptr<std::byte[]> coming_, going_;
  std::size_t coming_used_ = 0, going_used_ = 0;
  std::vector<MPI_Request> requests_;
};

}  // namespace gamelan::engine::steps
