// SPDX-License-Identifier: BSD-3-Clause
// The clients of rank 0, across their connections. A client that lost its connection comes back under a new
// routing id and sends again what was not answered. This file tells apart requests that are new, that are
// waiting, and that are done, so that nothing is done twice and every reply arrives. It uses no sockets and
// no threads. Used by listener.cpp.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/codec.hpp"

namespace gamelan::engine {

class Clients {
 public:
  using Bytes = protocol::Bytes;
  using SharedFrames = std::shared_ptr<const protocol::Frames>;
  using Clock = std::chrono::steady_clock;

  /// Who was not heard for so long does not say that it is there: clients say so once a second.
  static constexpr std::chrono::seconds surely_silent{3};

  /// How much is kept for clients that do not confirm their replies.
  struct Limits {
    std::size_t bytes = std::size_t{1} << 30;  ///< of all kept replies together, except the newest one
    Clock::duration silence =
        std::chrono::hours(24);  ///< after this time without a message, a client's replies are dropped
    Clock::duration lease{};     ///< and after this one it loses its arrays; 0: never
  };
  Clients();
  explicit Clients(Limits limits);

  /// Advances the time by which silence is measured. To be called regularly: time in which it is not called
  /// does not count, so that no client seems silent because this process was stopped.
  void look(Clock::time_point now = Clock::now());

  /// The state of a request: not seen before; waiting or being executed; answered, and the reply is kept; so
  /// old that nothing is known of it any more.
  enum class Seen { fresh, waiting, answered, forgotten };

  /// Notes that a message came over `routing_id` (the ROUTER's name of a connection). Returns the client's
  /// own name, which stays the same across connections. A client that gives itself no name is a new client on
  /// every connection. Replies go to a client's newest connection.
  Bytes hear(const Bytes& routing_id);
  /// The state of this client's request. A fresh one counts as waiting from now on. Requests of clients
  /// without a name are always fresh.
  Seen admit(const Bytes& client, std::uint64_t seq);
  /// Keeps the reply to a request until the client confirms it.
  void answer(const Bytes& client, std::uint64_t seq, SharedFrames reply);
  /// The kept reply; nullptr when there is none.
  SharedFrames reply(const Bytes& client, std::uint64_t seq) const;
  /// The client has confirmed all replies up to this number: they are dropped.
  void release(const Bytes& client, std::uint64_t heard);
  /// The routing id over which the client last sent something.
  Bytes routing_id(const Bytes& client) const;

  /// The arrays of this client are those of `holder` (Batch::holder); 0: it has none any more. A client that
  /// came with the same number before has none either. `who`: what it says of itself.
  void set_holder(const Bytes& client, std::uint64_t holder, std::string who = {});
  /// This client waits for silent engines for so long: its replies are kept meanwhile.
  void set_patience(const Bytes& client, Clock::duration patience);
  /// The longest patience of a client that has arrays and has not died, as far as we know.
  Clock::duration patience() const;
  /// Somebody's connection was closed. Who dies closes it at once; so it may be each client that was heard
  /// within `recent`. Which of them lives is heard soon.
  void note_closed(Clock::duration recent = surely_silent);
  /// What the clients besides `asker` say of themselves that use the engines and live: they were heard a
  /// moment ago, or are silent, have not died as far as we know, and their patience is not over.
  std::vector<std::string> living_besides(const Bytes& asker) const;
  struct Expired {
    Bytes client;
    std::uint64_t holder;
    bool has_left;  ///< it said so, and there was no room for that
  };
  /// The client has left, but nobody could be told: its lease is over.
  void leave_later(const Bytes& client);
  /// For how long nothing was heard of the client of this holder; nullopt: none has it.
  std::optional<Clock::duration> silence_of(std::uint64_t holder) const;
  /// Who has the arrays of this holder: itself, or who has inherited them last (Holders::owner_after).
  std::uint64_t owner_after(std::uint64_t holder) const;
  /// `heir` gets what `owner_after(holder)` has. Returns the client that had it; empty: none.
  Bytes take_holder(std::uint64_t holder, std::uint64_t heir);
  /// A client that was silent for longer than the lease, once; nullopt when there is none.
  std::optional<Expired> take_expired();

  std::size_t count() const { return known_.size(); }
  std::size_t kept_replies() const;
  std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Client {
    Bytes routing_id;
    std::uint32_t connection = 0;  // the newest; rises with every connection of the client
    std::uint64_t settled = 0;     // nothing is kept of requests up to this number
    std::set<std::uint64_t> waiting;
    std::map<std::uint64_t, SharedFrames> replies;
    std::size_t reply_bytes = 0;
    Clock::duration heard{};   // by watched_
    std::uint64_t holder = 0;  // of arrays; 0: of none
    std::string who;
    Clock::duration patience{};
    bool has_left = false;
    bool may_be_dead = false;      // it may be whose connection was closed
    Clock::duration dead_since{};  // if so: by watched_
  };
  void drop_oldest(Client& client);
  /// Not `newest`, and nobody who has arrays: the lease ends first.
  void forget_somebody(const Client& newest);
  /// Drops replies until the limit is kept. The newest reply of `newest` stays, whatever its size: it is the
  /// one that a broken connection may lose.
  void make_room(const Client& newest);

  struct ByBytes {  // with std::less, g++ 12 warns of reads beyond the end
    bool operator()(const Bytes& left, const Bytes& right) const;
  };
  std::map<Bytes, Client, ByBytes> known_;  // clients that have a name
  const Limits limits_;
  std::map<std::uint64_t, std::uint64_t> heirs_;  // of holders
  std::size_t kept_bytes_ = 0;                    // of all clients
  Clock::duration watched_{},
      swept_{};  // time counted by look(), in all; and at the last search for silent clients
  Clock::time_point last_look_ = Clock::now();
};

}  // namespace gamelan::engine
