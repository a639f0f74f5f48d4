// SPDX-License-Identifier: BSD-3-Clause
// Floating-point errors as NumPy tells them: what numpy.seterr said when a command was recorded, kept until
// the engines say what the command has met. Telling itself (warnings, FloatingPointError, ...) is Python's:
// gamelan._float_errors. Needs the GIL.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <cstdint>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// What is to become of errors, and of how many commands' errors it is asked: numpy.geterrobj()'s mask and
/// callback.
struct Listener {
  long mask = 0;
  Ref callback;
};

/// The listeners of a batch that is being recorded, then of one that is on its way.
class FloatListeners {
 public:
  /// The number of what NumPy says in this thread now; 0 when it ignores everything.
  std::uint32_t current();
  /// The globals of the batch's next line, where Python notes which warnings a line has given.
  void add_line(Ref globals) { globals_.push_back(std::move(globals)); }
  /// Kinds that somebody hears of.
  unsigned watched() const { return watched_; }

  /// The batch is cut: what is needed to tell of its errors, by command.
  struct Heard {
    protocol::Op op;
    std::uint32_t origin, listener;
  };
  void close(const protocol::Batch& batch, const std::vector<std::uint32_t>& listeners);
  /// Tells of errors; throws what telling raises.
  void tell(const protocol::FloatErrors& errors) const;

 private:
  const Listener& listener(std::uint32_t number) const { return listeners_[number - 1]; }

  std::vector<Listener> listeners_;
  std::vector<Ref> globals_;  // by line
  std::vector<protocol::Origin> origins_;
  std::vector<Heard> commands_;
  unsigned watched_ = 0;
};

/// Of gamelan._float_errors: called with (kinds, operation, another or None, mask, callback, file, line,
/// globals).
extern Hook float_error_hook;

}  // namespace gamelan::kernel
