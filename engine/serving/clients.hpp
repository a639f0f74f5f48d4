// SPDX-License-Identifier: BSD-3-Clause
// The clients of rank 0 across their connections. A client that lost its connection comes back under a new
// routing id and says again what was not answered; here it is told apart what is new, what is being done and
// what was done, so that nothing is done twice and every reply arrives. Knows no socket, no thread. Used by
// listener.cpp.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "protocol/codec.hpp"

namespace gamelan::engine {

class Clients {
 public:
  using Bytes = protocol::Bytes;
  using SharedFrames = std::shared_ptr<const protocol::Frames>;
  using Clock = std::chrono::steady_clock;

  /// What is kept for clients that do not say that they have it.
  struct Limits {
    std::size_t bytes = std::size_t{1} << 30;  ///< of all replies together, but for the newest one
    Clock::duration silence =
        std::chrono::hours(24);  ///< a client that was not heard for so long needs none any more
  };
  Clients();
  explicit Clients(Limits limits);

  /// To be called now and then: time goes by only while somebody looks, so that nobody is found silent
  /// because this process was stopped.
  void look(Clock::time_point now = Clock::now());

  /// What a request under a number is: never seen, waiting to be done or being done, answered with a reply
  /// that is kept, or of a time of which nothing is known any more.
  enum class Seen { fresh, waiting, answered, forgotten };

  /// Something came over `routing_id` (the ROUTER's name of a connection). Returns the client's own name,
  /// which outlives the connection; a client that gives itself none is a new one on every connection. Replies
  /// go to its newest connection.
  Bytes hear(const Bytes& routing_id);
  /// Has this client's request been seen before? A fresh one waits from now on. Always fresh for clients
  /// without a name.
  Seen admit(const Bytes& client, std::uint64_t seq);
  /// The reply is known, and kept until the client says that it has it.
  void answer(const Bytes& client, std::uint64_t seq, SharedFrames reply);
  /// The kept reply; nullptr when there is none.
  SharedFrames reply(const Bytes& client, std::uint64_t seq) const;
  /// The client has all replies up to this number.
  void release(const Bytes& client, std::uint64_t heard);
  /// Where the client was last heard.
  Bytes routing_id(const Bytes& client) const;

  std::size_t count() const { return known_.size(); }
  std::size_t kept_replies() const;
  std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Client {
    Bytes routing_id;
    std::uint32_t connection = 0;  // rises with every connection of the client
    std::uint64_t settled = 0;     // of requests up to here nothing is kept
    std::set<std::uint64_t> waiting;
    std::map<std::uint64_t, SharedFrames> replies;
    std::size_t reply_bytes = 0;
    Clock::duration heard{};  // by watched_
  };
  void drop_oldest(Client& client);
  void forget_somebody();
  /// Down to the limit; the one reply of `newest` stays whatever its size: it is the one that a cut
  /// connection swallows.
  void make_room(const Client& newest);

  struct ByBytes {  // std::less has g++ 12 see reads beyond the end
    bool operator()(const Bytes& left, const Bytes& right) const;
  };
  std::map<Bytes, Client, ByBytes> known_;  // those with a name
  const Limits limits_;
  std::size_t kept_bytes_ = 0;  // of all clients
  Clock::duration watched_{},
      swept_{};  // time that went by while somebody looked; at the last look for silent clients
  Clock::time_point last_look_ = Clock::now();
};

}  // namespace gamelan::engine
