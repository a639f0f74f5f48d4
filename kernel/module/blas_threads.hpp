// SPDX-License-Identifier: BSD-3-Clause
// What the threads of NumPy's BLAS do between two calls: docs/decisions/052.
#pragma once

namespace gamelan::kernel {

/// Every OpenBLAS of this process reads its environment again. Its threads end, as they do before a fork, and
/// the next call that wants them begins new ones. Does nothing while other threads of Python's run, which may
/// be in a call, and to libraries that were built without threads of their own. GIL held.
void renew_blas_threads();

}  // namespace gamelan::kernel
