// SPDX-License-Identifier: BSD-3-Clause
// The session that new arrays belong to. All functions need the GIL.
#pragma once
#include <memory>

namespace gamelan::kernel {

class Session;

/// The present session. When there is none, or its engines are gone, asks gamelan._session to start or find
/// engines. Throws PythonError, Error{engine_lost}.
std::shared_ptr<Session> current_session();
std::shared_ptr<Session> current_session_or_null();
/// Makes `session` the present one. The session before it loses its engines ("they were disconnected").
/// nullptr: there is none from now on.
void set_current_session(std::shared_ptr<Session> session);

}  // namespace gamelan::kernel
