// SPDX-License-Identifier: BSD-3-Clause
// What the threads of NumPy's BLAS do between two calls.
#pragma once

namespace gamelan::kernel {

/// From now on threads of OpenBLAS in this process sleep 0.5 ms after a call. By default they look for more
/// work for up to 0.13 s, each on a core that engines on this machine then lack: a batch after a product of
/// two small matrices took twice as long. Libraries that are loaded later read the same from the environment.
/// Does nothing where OPENBLAS_THREAD_TIMEOUT is set, and leaves a loaded library alone while other threads
/// of Python's run, which may be in a call. To be called with the GIL held.
void let_blas_threads_sleep();

}  // namespace gamelan::kernel
