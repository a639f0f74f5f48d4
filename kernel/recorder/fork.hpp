// SPDX-License-Identifier: BSD-3-Clause
// Is this process a child made by fork? There the engines, the client's thread and its sockets belong to the
// parent.
#pragma once

namespace gamelan::kernel {

/// From now on a fork is noticed. Throws Error{os}.
void watch_forks();
/// True in a child made by fork after `watch_forks`.
bool is_forked_child();

}  // namespace gamelan::kernel
