// SPDX-License-Identifier: BSD-3-Clause
// Whether this process is a child made by fork. In a child the engines, the client's thread and its sockets
// belong to the parent.
#pragma once

namespace gamelan::kernel {

/// From now on forks are noticed. Throws Error{os}.
void watch_forks();
/// True in a child made by fork after `watch_forks`.
bool is_forked_child();

}  // namespace gamelan::kernel
