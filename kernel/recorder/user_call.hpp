// SPDX-License-Identifier: BSD-3-Clause
// Calls of the user's that are one to him and several commands to us: np.gradient(x), x[i, j] = y. What an
// interrupt leaves is either before such a call or after it, so commands carry its number (call_number.hpp).
#pragma once

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

  /// What this call has recorded stands, whatever ends it: Python's side has been changed accordingly.
  static void commit() noexcept;
};

}  // namespace gamelan::kernel
