// SPDX-License-Identifier: BSD-3-Clause
// Where in the user's program this thread is: the nearest Python frame outside this package. Cheap when
// recording (a code object and an offset); resolved to file and line only when a batch is cut.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <string>

#include "kernel/recorder/source_line.hpp"
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// The user's current line, with the objects that must stay alive until it is resolved.
struct CurrentLine {
  SourceLine line;
  Ref code;     ///< keeps the line valid
  Ref globals;  ///< of the user's frame
  bool is_numpys_own =
      true;  ///< what is recorded now is what NumPy computes for that line, not a step on the way
};
CurrentLine current_line();
/// Registers a function of this package that records exactly what NumPy's function of that name computes.
void add_numpys_own(PyObject* code);
/// File and line number of a line whose code object is alive.
protocol::Origin resolve(const SourceLine& line);

/// Code below this directory belongs to this package, and never counts as the user's line.
void set_package_directory(const std::string& directory);
/// True for the code of this package.
bool is_package_code(PyCodeObject* code);

}  // namespace gamelan::kernel
