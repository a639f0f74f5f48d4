// SPDX-License-Identifier: BSD-3-Clause
// A user's own compiled routines: shared libraries that are named when the engines start, never by a message.
// A routine is called on every rank with true GA handles (docs/routines.md). The registry is the process's,
// as loaded libraries are.
#pragma once
#include <string>
#include <vector>

namespace gamelan::engine::routines {

/// `int name(int arrays, const int* handles, int numbers, const double* values)`, collective; 0 when all is
/// well.
using Function = int (*)(int, const int*, int, const double*);

/// Loads libraries, paths separated by colons. Throws Error{os} with the loader's words.
void load(const std::string& paths);
/// A function that one of the libraries itself defines. Throws Error{value}, which names them, when there is
/// none.
Function find(const std::string& name);

}  // namespace gamelan::engine::routines
