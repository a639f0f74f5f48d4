// SPDX-License-Identifier: BSD-3-Clause
// The Python extension gamelan._core: what it consists of, its tables, and what the Python half registers.
// Names and argument conversion, nothing else, by pybind11 except for hot_calls.
#define GAMELAN_NUMPY_IMPORT
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first: it defines which file imports NumPy's table)
#include <pybind11/pybind11.h>

#include <utility>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/array_types.hpp"
#include "kernel/arrays/buffer.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/iterators.hpp"
#include "kernel/arrays/operand.hpp"
#include "kernel/arrays/operators.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/promotion.hpp"
#include "kernel/arrays/subscripts.hpp"
#include "kernel/arrays/ufunc_type.hpp"
#include "kernel/module/blas_threads.hpp"
#include "kernel/module/core_functions.hpp"
#include "kernel/module/freed_memory.hpp"
#include "kernel/module/hot_calls.hpp"
#include "kernel/module/small_calls.hpp"
#include "kernel/recorder/call_type.hpp"
#include "kernel/recorder/current_line.hpp"
#include "kernel/recorder/float_errors.hpp"
#include "kernel/recorder/hooks.hpp"
#include "protocol/distributions.hpp"
#include "protocol/ops.hpp"

namespace py = pybind11;
using namespace gamelan;
using protocol::Dtype;
using protocol::Op;

namespace {

py::list ops_table() {
  static constexpr const char* kinds[] = {"nullary", "unary", "binary", "ternary", "reduce", "call"};
  static constexpr const char* types[] = {"all",  "boolean", "integer",  "integer_or_bool", "numeric",
                                          "real", "real_fp", "floating", "complex_fp"};
  static constexpr const char* results[] = {"same", "boolean", "real_of"};
  py::list table;
  for (int number = 0; number < protocol::op_count(); ++number) {
    const auto& row = protocol::info(static_cast<Op>(number));
    py::dict dict;
    dict["op"] = number;
    dict["name"] = std::string(row.name);
    dict["kind"] = kinds[static_cast<std::size_t>(row.kind)];
    dict["types"] = types[static_cast<std::size_t>(row.types)];
    dict["result"] = results[static_cast<std::size_t>(row.result)];
    dict["commutative"] = (row.traits & protocol::commutative) != 0;
    dict["doc"] = std::string(row.doc);
    dict["arity"] = row.arity;
    dict["of"] = std::string(protocol::info(row.of).name);
    table.append(dict);
  }
  return table;
}

py::dict distributions() {
  py::dict table;
  for (int number = 0; number < protocol::distribution_count(); ++number) {
    const auto& row = protocol::distribution(number);
    table[py::str(std::string(row.name))] = py::make_tuple(number, row.parameters);
  }
  return table;
}

py::list dtype_names() {
  py::list names;
  for (int number = 0; number < protocol::dtype_count; ++number) {
    names.append(std::string(protocol::info(static_cast<Dtype>(number)).name));
  }
  return names;
}

// What the Python half registers when it is imported: callables of its own, by the name under which `_core`
// takes them.
const struct {
  const char* name;
  kernel::Hook& hook;
} hooks[] = {
    {"set_start_hook", kernel::start_hook},           {"set_wait_hook", kernel::wait_hook},
    {"set_checkpoint_hook", kernel::checkpoint_hook}, {"set_cut_hook", kernel::cut_hook},
    {"set_error_factory", kernel::error_hook},        {"set_float_error_hook", kernel::float_error_hook},
    {"set_get_item_hook", kernel::get_item_hook},     {"set_set_item_hook", kernel::set_item_hook},
    {"set_gather_hook", kernel::gather_hook},         {"set_coerce_hook", kernel::coerce_hook},
    {"set_resolve_hook", kernel::resolve_hook},       {"set_negative_hook", kernel::negative_hook},
};

void add_registrations(py::module_& m) {
  for (const auto& each : hooks)
    m.def(each.name, [&hook = each.hook](const py::object& callable) { hook.set(callable.ptr()); });
  m.def("set_array_class",
        [](const py::type& type) { kernel::set_array_class(reinterpret_cast<PyTypeObject*>(type.ptr())); });
  m.def("set_standard_class", [](const py::type& type) {
    kernel::set_standard_class(reinterpret_cast<PyTypeObject*>(type.ptr()));
  });
  m.def("set_ufuncs", [](const py::list& list) { kernel::set_ufuncs(list.ptr()); });
  m.def(
      "add_numpys_own", [](const py::object& code) { kernel::add_numpys_own(code.ptr()); },
      "Names a function, by its code, that records what NumPy's function of that name computes and nothing "
      "else.");
  m.def("set_package_directory", &kernel::set_package_directory);
  m.def("renew_blas_threads", &kernel::renew_blas_threads,
        "Every OpenBLAS of this process reads its environment again.");
  m.def("set_threshold", &kernel::set_threshold);
  m.def("set_unequal_shapes_raise", &kernel::set_unequal_shapes_raise);
  m.def("set_numbers_are_weak", &kernel::set_numbers_are_weak);
  m.def("set_float_settings", [](const py::object& variable, const py::object& ask) {
    kernel::set_float_settings(variable.ptr(), ask.ptr());
  });
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  kernel::keep_freed_memory();
  m.doc() = "The compiled half of gamelan: records operations and talks to the engines.";
  if (_import_array() < 0) throw py::error_already_set();
  // pybind11 tries translators newest first; these two are ours, everything else is its own.
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      std::rethrow_exception(std::move(pointer));
    } catch (const kernel::PythonError&) {
      return;  // the Python exception is already set
    } catch (const protocol::Error& error) {
      try {
        kernel::raise_error(error);
      } catch (const kernel::PythonError&) {
        return;
      }
    }
  });
  kernel::reserve_addresses();
  kernel::add_array_types(m.ptr());
  kernel::add_ufunc_type(m.ptr());
  kernel::add_hot_calls(m.ptr());
  kernel::add_operators(m.ptr());
  kernel::add_iterator_type(m.ptr());
  kernel::add_call_type(m.ptr());
  kernel::set_shortcut(&kernel::call_with_small);
  kernel::add_array_functions(m);
  kernel::add_local_functions(m);
  kernel::add_session_functions(m);
  kernel::add_checkpoint_functions(m);
  kernel::add_log_functions(m);
  kernel::add_dry_functions(m);
  add_registrations(m);
  m.def("ops_table", &ops_table, "One dict per row of protocol/ops.def.");
  m.def("dtype_names", &dtype_names, "NumPy's names of the dtypes that engines know, by number.");
  m.def("fingerprint", &protocol::fingerprint);
  m.def("distributions", &distributions, "Number and count of parameters of every distribution, by name.");
}
