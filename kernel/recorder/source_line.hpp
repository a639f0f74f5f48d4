// SPDX-License-Identifier: BSD-3-Clause
// Where in the user's program we are: the nearest Python frame outside this package. Cheap when recording (a
// code object and an offset), resolved to file and line only when a batch is cut.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include "kernel/recorder/recorder.hpp"

namespace gamelan::kernel {

/// The user's current line.
struct CurrentLine {
  SourceLine line;
  Ref code;     ///< keeps the line valid
  Ref globals;  ///< of the user's frame
  bool is_numpys_own =
      true;  ///< what is recorded now is what NumPy computes for that line, not a step of ours towards it
};
CurrentLine current_line();
/// A function of this package that records what NumPy's function of that name computes, and nothing else.
void add_numpys_own(PyObject* code);
/// File and line of a line whose code object is alive.
protocol::Origin resolve(const SourceLine& line);

/// Warns at the user's current line. Throws PythonError where warnings are errors.
void warn(PyObject* category, const char* message);
/// The warning of a cast that keeps the real parts only; none when it keeps all or becomes bool.
void warn_of_real_parts(protocol::Dtype from, protocol::Dtype to);

/// Frames of code below this directory are never "where the user wrote it".
void set_package_directory(const std::string& directory);

}  // namespace gamelan::kernel
