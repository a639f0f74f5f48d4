// SPDX-License-Identifier: BSD-3-Clause
// Small arrays of the notebook that operations on distributed arrays read. They are sent along with the
// batch, and what was sent before and has not changed since is not sent again: a loop that uses a vector of
// coefficients sends it once.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// The elements of a local array on the engines, to be read only; broadcast axes travel once.
Ref uploaded(PyArrayObject* local);

}  // namespace gamelan::kernel
