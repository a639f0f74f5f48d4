// SPDX-License-Identifier: BSD-3-Clause
// Small arrays of the notebook that operations on distributed arrays read. They are sent with the batch. An
// array that was sent before and has not changed since is not sent again: a loop that uses a vector of
// coefficients sends it once.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// The elements of a local array as an array on the engines, which must only be read. Broadcast axes are sent
/// once.
Ref uploaded(PyArrayObject* local);

}  // namespace gamelan::kernel
