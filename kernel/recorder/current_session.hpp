// SPDX-License-Identifier: BSD-3-Clause
// The session that new arrays belong to. All functions need the GIL.
#pragma once
#include <memory>

namespace gamelan::kernel {

class Session;

/// Asks gamelan._session to start or find engines when there is none, or when they are gone. Throws
/// PythonError, Error{engine_lost}.
std::shared_ptr<Session> current_session();
std::shared_ptr<Session> current_session_or_null();
/// The session before it loses its engines: "they were disconnected". Null: there is none any more.
void set_current_session(std::shared_ptr<Session> session);

}  // namespace gamelan::kernel
