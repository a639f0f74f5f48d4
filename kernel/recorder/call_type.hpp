// SPDX-License-Identifier: BSD-3-Clause
// The Python type gamelan._core.Call: the functions of the package are objects of this type. Such an object
// behaves like the function it holds, and a UserCall exists while the function runs.
#pragma once
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// How a function is called when all its arguments are small.
struct SmallRule {
  PyObject* numpys;     // NumPy's function of that name; null: the function itself decides
  PyObject* dear;       // stands for it where there are many elements: it may ask the engines; or null
  long long dear_from;  // so many
  int growth;           // how the size of the result is bounded by those of the arguments (small_calls.hpp)
  int operands;         // how many of its first arguments are arrays that it only reads
  char gives_views;     // of its arguments
};
/// Answers a call by NumPy's function when its arguments are small; null without an exception when they are
/// not. Its last parameters are those of a vectorcall.
using Shortcut = PyObject* (*)(const SmallRule&, PyObject* const*, std::size_t, PyObject*);
/// Sets it. A Call that has an attribute `_numpys` asks it first.
void set_shortcut(Shortcut function);

/// Adds the type `Call(function)`. Throws PythonError.
void add_call_type(PyObject* module);

}  // namespace gamelan::kernel
