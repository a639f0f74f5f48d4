// SPDX-License-Identifier: BSD-3-Clause
// Calls that are one call for the user and several commands for us: np.gradient(x), x[i, j] = y. After an
// interrupt, arrays are those before such a call or those after it; therefore commands carry its number
// (call_number.hpp).
#pragma once

namespace gamelan::kernel {

/// While this object lives, its thread is in a call of the user's. Costs some nanoseconds where nothing is
/// recorded. Needs the GIL.
class UserCall {
 public:
  UserCall() noexcept;
  /// Tells the session that the call has ended. When an interrupt ends it (a Python exception that is no
  /// `Exception`), what it has recorded is undone.
  ~UserCall();
  UserCall(const UserCall&) = delete;
  UserCall& operator=(const UserCall&) = delete;

  /// What this call has recorded so far is kept, however the call ends, because Python objects have been
  /// changed accordingly.
  static void commit() noexcept;
};

}  // namespace gamelan::kernel
