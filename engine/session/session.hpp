// SPDX-License-Identifier: BSD-3-Clause
// The life of a batch on a rank. Failures of the last batch are settled; elided copies are made where the
// batch would show that they are missing; the batch is planned and run; a reply is made. Every rank has a
// Session. All ranks execute the same batches, so every decision here follows from the same data everywhere.
// No sockets.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/session/batch_planner.hpp"
#include "engine/session/elided_copies.hpp"
#include "engine/session/holders.hpp"
#include "engine/session/status.hpp"

namespace gamelan::engine {

class Session {
 public:
  /// Collective. All three must outlive the object.
  Session(Comm& comm, distribution::Heap& heap, Board& board);

  /// Runs a batch; collective. All ranks agree on the outcome; only rank 0's reply has payloads. Never throws
  /// because of what a client sent. May rewrite the batch (elided_copies.hpp); the reply numbers commands as
  /// in the batch that came.
  protocol::Reply execute(protocol::Batch& batch);
  /// What options are where a batch does not name them, before the first batch.
  void set_defaults(protocol::NamedOptions defaults);
  /// Does what options say that are for all clients, and checks those that travel with batches. Collective.
  /// Throws Error{value} for an unknown name or value, on all ranks alike.
  void configure(const protocol::Configure& wanted);
  /// Says who holds arrays, or changes it; arrays that nobody holds any more are freed. Collective. Throws
  /// nothing; the reply says what is wrong, on all ranks alike.
  protocol::Reply hold(const protocol::Holding& wanted);
  /// See Progress and Status; thread-safe, and may be called while a batch runs.
  nlohmann::json heartbeat() const;
  nlohmann::json status() const;

 private:
  using Copies = std::vector<ElidedCopies::Copy>;

  void set_option(const std::string& name, const std::string& value);
  void use(const protocol::NamedOptions& options);
  protocol::Reply explain(protocol::Batch batch) const;  // plans it and changes nothing
  void settle_last_batch();
  void lose(protocol::ArrayId id, const protocol::Error& cause);
  /// Where the last batch has failed: the step of its plan, the command at fault, and the first of the
  /// commands that have not happened.
  struct FailurePlace {
    std::size_t step;
    std::int64_t guilty, first_lost;
  };
  FailurePlace place_of(const Failure& failure) const;
  /// Rank 0 tells the maker of arrays, in the reply, which of those that its batch uses other clients have
  /// written, and in which batch last; the next heartbeats tell of all such arrays. Other ranks do nothing.
  void tell_of_others(const protocol::Batch& batch, protocol::Reply& reply) const;
  /// The batch has run: notes who holds its new arrays, and what is gone. `made` commands in front are not
  /// its own; `freed`: what it named to be freed.
  void note_holder(const protocol::Batch& batch, std::size_t made,
                   const std::vector<protocol::ArrayId>& freed);
  void free_all(std::vector<protocol::ArrayId> ids);
  void part(const protocol::Holding& wanted);
  void publish(const protocol::Holding& wanted);
  std::string rejoin(const protocol::Holding& wanted);
  std::string inherit(const protocol::Holding& wanted);
  Copies find_elided(const protocol::Batch& batch) const;
  void put_back(const Copies& made, protocol::Batch& batch);
  plan::NamedPlan make_plan(protocol::Batch& batch, Copies& copies, std::optional<Refusal>& refusal);
  void plan_and_run(protocol::Batch& batch, protocol::Reply& reply, std::optional<Refusal>& refusal);
  void run(const plan::NamedPlan& named, const protocol::Batch& batch, protocol::Reply& reply);
  void finish(protocol::Batch& batch, std::size_t made, protocol::Reply& reply,
              std::optional<Refusal> refusal);
  void fetch(const protocol::Batch& batch, protocol::Reply& reply);
  void fail(protocol::Reply& reply, const protocol::Batch& batch, const Refusal& refusal);
  void poison_unmade(const protocol::Batch& batch, const protocol::Error& cause);
  std::vector<protocol::FloatErrors> float_errors(std::size_t made) const;

  Comm& comm_;
  distribution::Heap& heap_;
  Board& board_;
  steps::Executor executor_;
  ArrayTable arrays_;
  BatchPlanner planner_;
  Progress progress_;
  Status status_;
  ElidedCopies elided_;
  Holders holders_;
  protocol::NamedOptions defaults_, options_;  // options_: of the last batch
  std::uint64_t batch_number_ = 0;
  // Of the last batch: its plan, the step before its first one, and what each of its commands writes.
  plan::NamedPlan last_plan_;
  std::uint64_t last_begin_ = 0;
  std::vector<protocol::ArrayId> last_written_;
};

}  // namespace gamelan::engine
