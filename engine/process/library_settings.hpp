// SPDX-License-Identifier: BSD-3-Clause
// Settings that libraries read from the environment before main() begins. OpenBLAS chooses its kernels by the
// processor's model; for a model that is newer than the library it takes those of a processor without AVX,
// which are five times slower. glibc keeps seven freed pieces of each size at hand; a plan's steps free more.
#pragma once

namespace gamelan::engine {

/// Runs this program again, as the same process, with
/// - OPENBLAS_CORETYPE, where OpenBLAS has chosen kernels for a processor without AVX and this one has it;
/// - GLIBC_TUNABLES, so that a thread keeps the small pieces of memory that it frees.
/// What the user has set stays. Returns where there is nothing to set. To be called first of all: nothing is
/// open yet.
void choose_library_settings(char** argv);

}  // namespace gamelan::engine
