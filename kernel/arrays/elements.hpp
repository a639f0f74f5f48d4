// SPDX-License-Identifier: BSD-3-Clause
// Single elements of distributed arrays. One is recorded as a copy and costs a round trip when its value is
// wanted; a program that wants the values of many, and writes none of them, has what lies around them brought
// here at once.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// The element that a 0-d view names, as a value: 0-d and read-only on the engines, or the NumPy scalar when
/// it is known here. May fetch, and then raises what a fetch does.
Ref element_of(Array* view);

}  // namespace gamelan::kernel
