// SPDX-License-Identifier: BSD-3-Clause
// Floating-point errors as NumPy reports them: the settings of numpy.seterr at the time when a command was
// recorded, kept until the engines report what the command has met. Python gives the report (warnings,
// FloatingPointError, ...): gamelan._float_errors. Needs the GIL.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <cstdint>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// What to do with errors: a mask of three bits for each kind, as NumPy 1 has it, and a callback.
struct Listener {
  long mask = 0;
  Ref callback;
};

/// The listeners of a batch that is being recorded, and later of one that was sent.
class FloatListeners {
 public:
  /// Listeners of a command of whose errors nothing is told; and of one that is known to meet none.
  static constexpr std::uint32_t nobody = 0, sound = ~std::uint32_t{0};
  /// The number of the listener for this thread's present settings; 0 when NumPy ignores everything.
  std::uint32_t current();
  /// Adds the globals of the batch's next line, where Python notes which warnings a line has given.
  void add_line(Ref globals) { globals_.push_back(std::move(globals)); }
  /// The listener of this number; an empty one where it is none.
  Listener of(std::uint32_t number) const;
  /// Adds such a listener of other ones. Returns its number here.
  std::uint32_t add(std::uint32_t number, const Listener& listener);
  Ref globals_of(std::size_t line) const { return Ref::borrow(globals_[line].get()); }
  /// The kinds that any listener wants to know.
  unsigned watched() const { return watched_; }

  /// True when none of them wants more than NumPy's warnings.
  bool only_warn() const;

  /// After the batch was cut: what is needed to report its errors, by command.
  struct Heard {
    protocol::Op op;
    std::uint32_t origin, listener;
  };
  void close(const protocol::Batch& batch, const std::vector<std::uint32_t>& listeners);
  /// Reports errors; throws what the report raises.
  void tell(const protocol::FloatErrors& errors) const;

 private:
  std::uint32_t number_of(long mask, PyObject* callback);
  const Listener& listener(std::uint32_t number) const { return listeners_[number - 1]; }

  std::vector<Listener> listeners_;
  std::vector<Ref> globals_;  // by line
  std::vector<protocol::Origin> origins_;
  std::vector<Heard> commands_;
  unsigned watched_ = 0;
};

/// For a NumPy that keeps what numpy.seterr has set in a context variable: that variable, and a function of
/// gamelan._float_errors that gives the mask and the callback.
void set_float_settings(PyObject* variable, PyObject* ask);
/// A function of gamelan._float_errors, called with (kinds, operation, another or None, mask, callback, file,
/// line, globals).
extern Hook float_error_hook;

}  // namespace gamelan::kernel
