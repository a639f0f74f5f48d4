// SPDX-License-Identifier: BSD-3-Clause
// OpenBLAS chooses its kernels by the processor's model when it is loaded. For a model that is newer than the
// library it takes those of a processor without AVX, which are five times slower. Here they are chosen by
// what the processor can do.
#pragma once

namespace gamelan::engine {

/// Runs this program again, as the same process, with OPENBLAS_CORETYPE set, where OpenBLAS has chosen the
/// kernels of a processor without AVX and this one has AVX2 or AVX-512. Returns where there is nothing to do:
/// another BLAS, other kernels, or a choice of the user's. To be called first of all: nothing is open yet.
void choose_blas_core(char** argv);

}  // namespace gamelan::engine
