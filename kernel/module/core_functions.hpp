// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that are bound by pybind11, by subject; core_module.cpp puts them together.
// They convert arguments and call what does the work. C++ exceptions reach Python by the translators of
// core_module.cpp.
#pragma once
#include <pybind11/pybind11.h>

#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Adds what concerns arrays: elements that come and go, random numbers, warnings.
void add_array_functions(pybind11::module_& m);
/// Adds what computes on small arrays by loops of our own.
void add_local_functions(pybind11::module_& m);
/// Adds what concerns the session's log, and that of an earlier kernel.
void add_log_functions(pybind11::module_& m);
/// Adds what plans a cell without running it.
void add_dry_functions(pybind11::module_& m);
/// Adds what concerns the engines: connecting, sending, interrupts, counters.
void add_session_functions(pybind11::module_& m);
/// Adds what concerns checkpoints: when one is due, and the log that begins anew with it.
void add_checkpoint_functions(pybind11::module_& m);

/// A reference of ours becomes one of pybind11's.
inline pybind11::object python(Ref reference) {
  return pybind11::reinterpret_steal<pybind11::object>(reference.release());
}

}  // namespace gamelan::kernel
