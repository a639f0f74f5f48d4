// SPDX-License-Identifier: BSD-3-Clause
// A user's own compiled routines: shared libraries that are named when the engines start, never in a message.
// A routine is called on every rank with true GA handles (docs/routines.md). The registry is global, as
// loaded libraries are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gamelan::engine::routines {

/// `int name(int arrays, const int* handles, int numbers, const double* values)`; collective; returns 0 on
/// success.
using Function = int (*)(int, const int*, int, const double*);

/// Loads libraries, given as paths separated by colons. Throws Error{os} with the loader's message.
void load(const std::string& paths);
/// The checksum of each library's file.
std::vector<std::uint32_t> sums();
/// Those of rank 0, which count for all ranks: a library may be built for each node.
void set_sums(const std::vector<std::uint32_t>& sums);
/// A function that one of the libraries itself defines. The name may end in @ and eight hexadecimal digits:
/// then only the library with this checksum will do. Throws Error{value}, with the names of the libraries,
/// when there is none.
Function find(const std::string& wanted);

}  // namespace gamelan::engine::routines
