// SPDX-License-Identifier: BSD-3-Clause
// Calls of the user's that are one to him and several commands to us: np.gradient(x), x[i, j] = y. What an
// interrupt leaves is either before such a call or after it, so commands carry its number. Calls within calls
// belong to the outermost one.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <cstdint>

namespace gamelan::kernel {

/// The call that this thread is in, for as long as this object lives. Costs some nanoseconds where nothing is
/// recorded. Needs the GIL.
class UserCall {
 public:
  UserCall() noexcept;
  /// Tells the session that the call has ended. When an interrupt ends it (a Python exception that is no
  /// `Exception`), what it has recorded is undone.
  ~UserCall();
  UserCall(const UserCall&) = delete;
  UserCall& operator=(const UserCall&) = delete;

  /// The number of the outermost call that this thread is in, as a command is recorded; 0 outside of any.
  static std::uint64_t recording() noexcept;
  /// The same, but 0 also when that call has recorded nothing.
  static std::uint64_t begun() noexcept;
  /// What this call has recorded stands, whatever ends it: Python's side has been changed accordingly.
  static void commit() noexcept;
};

/// True when the current Python exception, or `type`, is one that ends a program from outside, as
/// KeyboardInterrupt does.
bool is_interrupt(PyObject* type) noexcept;

/// Adds the type Call: a function in whose calls a UserCall lives. Throws PythonError.
void add_calls(PyObject* module);

}  // namespace gamelan::kernel
