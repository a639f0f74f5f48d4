// SPDX-License-Identifier: BSD-3-Clause
// From commands to batches: adds commands with the line that records them, cuts the batch and sends it to the
// engines, or to their model. Batches are sent in the order of the user's program: a batch is cut and sent
// without releasing the GIL in between, so two threads that send cannot change places. Waits for nothing.
#pragma once
#include "kernel/recorder/current_line.hpp"
// (Python.h first)
#include <optional>
#include <unordered_map>

#include "kernel/recorder/engine_model.hpp"
#include "kernel/recorder/engines.hpp"
#include "kernel/recorder/outcomes.hpp"
#include "kernel/recorder/pending/partial_look.hpp"

namespace gamelan::kernel {

class Sender {
 public:
  Sender(Recorder& recorder, OpenCalls& calls, Outcomes& outcomes, Engines& engines,
         std::optional<EngineModel> model)
      : recorder_(recorder),
        calls_(calls),
        outcomes_(outcomes),
        engines_(engines),
        model_(std::move(model)) {}

  /// Adds a command that was recorded at this line, in this call. `listener`: listener_at(current).
  void add(protocol::Command command, CurrentLine current, std::uint64_t call, std::uint32_t listener);
  /// Who hears of floating-point errors of what is recorded now. May call Python.
  std::uint32_t listener_at(const CurrentLine& current) {
    return current.is_numpys_own ? listeners_.current() : FloatListeners::nobody;
  }
  /// The same with a payload. Floating-point errors of such commands are not reported.
  void add(protocol::Command command, CurrentLine current, std::uint64_t call, protocol::Bytes payload);
  /// Adds a command that was recorded at this line before, and has run: of its floating-point errors all was
  /// told. `is_sound`: it has met none.
  void add_again(protocol::Command command, CurrentLine line, bool is_sound);
  /// The line of a pending command.
  CurrentLine line_of(std::size_t command) const;
  /// Sends what is pending with those of these fetches that read sound arrays. `next`: the line of the
  /// command that comes next, when the cut is automatic. `rider`: what the engines compute in the same
  /// request behind it; it is in no log, and is not sent again (Session::settle_rider).
  SentBatch send(const SourceLine* next, std::vector<protocol::View> fetches,
                 std::optional<protocol::Batch> rider = std::nullopt);
  /// Pending commands that wait until what is before them is sent.
  struct Later {
    protocol::Command command;
    std::optional<protocol::Bytes> payload;
    CurrentLine line;
    std::uint32_t number;  ///< of its listener
    Listener listener;
    std::uint64_t call;
  };
  /// Takes the commands from this place on away; they are to be added again behind the next batch.
  std::vector<Later> set_aside(std::size_t place);
  void add_again(std::vector<Later> later);
  /// Has the engines compute a look before what is pending, which stays as it is, and waits for it. Nothing
  /// when they are lost.
  std::optional<protocol::Reply> ask(PartialLook look);
  /// The look as a batch, with the lines of what is pending now.
  protocol::Batch batch_of(PartialLook look) const;
  /// The pending batch as the engines would receive it, to be planned only (encoded and decoded again).
  protocol::Batch preview();
  /// Drops what is pending. Arrays that it would have created raise `cause`; when it is nullptr, an interrupt
  /// has dropped them.
  void abandon(const FailurePtr& cause);
  /// Batches have these options from now on.
  void set_options(protocol::NamedOptions options) { options_ = std::move(options); }
  /// True when the pending commands warn of floating-point errors, or nobody wants to know: nothing else is
  /// said or raised.
  bool only_warns() const { return listeners_.only_warn(); }
  /// The kinds of these errors that anybody wants to know of.
  unsigned watched() const { return listeners_.watched(); }
  const protocol::NamedOptions& options() const { return options_; }
  /// To be called when the engines are gone: nothing that is pending will be sent.
  void forget_lines() { kept_codes_.clear(); }

  std::uint64_t batches() const { return batches_; }  ///< sent so far

 private:
  void keep(CurrentLine current);
  protocol::Batch cut(const SourceLine* next, SentBatch& sent);

  Recorder& recorder_;
  OpenCalls& calls_;
  Outcomes& outcomes_;
  Engines& engines_;
  const std::optional<EngineModel> model_;
  std::unordered_map<const void*, Ref> kept_codes_;  // code objects of the pending lines
  FloatListeners listeners_;                         // of what is pending
  protocol::NamedOptions options_;
  std::uint64_t batches_ = 0;
};

}  // namespace gamelan::kernel
