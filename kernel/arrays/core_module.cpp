// SPDX-License-Identifier: BSD-3-Clause
// The Python extension gamelan._core: names and argument conversion, nothing else, by pybind11 except for
// hot_calls.
#define GAMELAN_NUMPY_IMPORT
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first: it defines which file imports NumPy's table)
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "kernel/arrays/array_types.hpp"
#include "kernel/arrays/buffer.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/hot_calls.hpp"
#include "kernel/arrays/iterators.hpp"
#include "kernel/arrays/operand.hpp"
#include "kernel/arrays/operators.hpp"
#include "kernel/arrays/promotion.hpp"
#include "kernel/arrays/random_fill.hpp"
#include "kernel/arrays/subscripts.hpp"
#include "kernel/arrays/ufunc_type.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/recorder/call_type.hpp"
#include "kernel/recorder/current_line.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/inspect.hpp"
#include "kernel/recorder/session.hpp"
#include "kernel/recorder/warnings.hpp"
#include "protocol/distributions.hpp"

namespace py = pybind11;
using namespace gamelan;
using protocol::Dtype;
using protocol::Op;

namespace {

kernel::Ref owned(py::handle object) { return kernel::Ref::borrow(object.ptr()); }
py::object python(kernel::Ref reference) { return py::reinterpret_steal<py::object>(reference.release()); }

std::shared_ptr<kernel::Session> connected_session() {
  auto session = kernel::current_session_or_null();
  if (session == nullptr) throw protocol::Error(protocol::ErrorKind::engine_lost, "no engines are connected");
  return session;
}

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

using RouteList = std::vector<std::pair<std::string, std::vector<std::string>>>;

void connect(const std::string& path, double timeout_s, const py::object& executor, const RouteList& named,
             const std::string& directory) {
  const bool is_model = !executor.is_none();
  const auto connection = is_model ? protocol::Connection{} : protocol::read_connection(path);
  std::vector<kernel::Route> routes;
  for (const auto& [name, command] : named) routes.push_back({name, command});
  const auto session = std::make_shared<kernel::Session>(connection, std::move(routes), directory,
                                                         is_model ? executor.ptr() : nullptr);
  session->greet(timeout_s);
  kernel::set_current_session(session);
}

py::list fetch(const py::sequence& arrays) {
  std::vector<const kernel::Array*> sources;
  std::vector<kernel::Ref> keep;
  for (const auto& item : arrays) {
    if (!kernel::is_array(item.ptr())) throw py::type_error("fetch expects gamelan arrays");
    keep.push_back(owned(item));
    sources.push_back(kernel::as_array(item.ptr()));
  }
  py::list results;
  for (auto& result : kernel::fetch(sources)) results.append(python(std::move(result)));
  return results;
}

std::string explain(const py::sequence& arrays) {
  std::vector<protocol::View> views;
  for (const auto& item : arrays) {
    if (!kernel::is_array(item.ptr()) || kernel::as_array(item.ptr())->b == nullptr)
      throw py::type_error("explain expects distributed arrays");
    views.push_back(kernel::view_of(kernel::as_array(item.ptr())));
  }
  return connected_session()->explain(std::move(views));
}

py::dict stats() {
  py::dict dict;
  dict["host_ops"] = kernel::host_ops();
  if (const auto session = kernel::current_session_or_null()) {
    dict["recorded_commands"] = session->recorder().recorded_commands();
    dict["pending_commands"] = session->recorder().pending().commands.size();
    dict["sent_batches"] = session->batches();
    dict["fetch_bytes"] = session->fetched_bytes();
    dict["client_wait_seconds"] = session->engines().waited_seconds();
  }
  return dict;
}

void add_session_functions(py::module_& m) {
  m.def("connect", &connect, py::arg("connection_file"), py::arg("timeout_s") = 30.0,
        py::arg("executor") = py::none(), py::arg("routes") = RouteList(), py::arg("directory") = "",
        "Connects to engines and makes them current. `executor` plays the engines in this process instead. "
        "`routes`: (name, "
        "command) in the order in which they are tried, `directory`: private, for the sockets of their "
        "tunnels.");
  m.def(
      "disconnect", [] { kernel::set_current_session(nullptr); },
      "Leaves the engines; their arrays are lost to us.");
  m.def(
      "is_connected",
      [] {
        const auto session = kernel::current_session_or_null();
        return session && !session->engines().has_ended();
      },
      "Do the engines answer, as far as is known? Asks nobody.");
  m.def(
      "hear_of_end",
      [] {
        if (const auto session = kernel::current_session_or_null()) session->engines().hear_of_end();
      },
      "Engines that have gone while nobody waited count as lost from here on, with the launcher's cause.");
  m.def(
      "untold_loss",
      [] {
        const auto session = kernel::current_session_or_null();
        return session ? session->engines().take_untold_loss() : std::nullopt;
      },
      "Why the engines are gone when no exception has said it yet, else None; said once.");
  m.def(
      "flush",
      [](bool wait) {
        if (const auto session = kernel::current_session_or_null()) session->flush(wait);
      },
      py::arg("wait") = true, "Sends what is recorded; with wait, raises what went wrong.");
  m.def(
      "has_unfinished",
      [] {
        const auto session = kernel::current_session_or_null();
        return session && session->has_unfinished();
      },
      "True when a flush has something to do or to tell.");
  m.def(
      "stop_soon",
      [] {
        if (const auto session = kernel::current_session_or_null()) session->stop_soon();
      },
      "After an interrupt: what is recorded may finish within half a second, else it is cancelled.");
  m.def(
      "set_grace",
      [](double seconds) {
        kernel::Session::set_grace(std::chrono::milliseconds(static_cast<int>(seconds * 1000)));
      },
      "How long what is recorded may take to finish after an interrupt.");
  m.def(
      "lose",
      [](const std::string& cause) {
        if (const auto session = kernel::current_session_or_null()) session->engines().lose(cause);
      },
      "Declares the engines gone.");
  m.def("cancel", [] {
    if (const auto session = kernel::current_session_or_null()) session->engines().cancel();
  });
  m.def("shutdown", [] {
    if (const auto session = kernel::current_session_or_null()) session->engines().shutdown();
  });
  m.def("explain", &explain, py::arg("arrays") = py::tuple(),
        "The plan of what is pending, and the layouts of the arrays' bases after it, as JSON.");
  m.def(
      "status", [](double timeout_s) { return connected_session()->engines().status(timeout_s); },
      py::arg("timeout_s") = 5.0);
  m.def(
      "last_status",
      [] {
        const auto session = kernel::current_session_or_null();
        return session ? session->engines().last_status() : std::string("{}");
      },
      "What the last heartbeat brought, JSON; does not wait.");
  m.def(
      "route",
      [] {
        const auto session = kernel::current_session_or_null();
        return session ? session->engines().route() : std::string();
      },
      "How the engines are reached.");
  m.def(
      "connections",
      [] {
        const auto session = kernel::current_session_or_null();
        return session ? session->engines().connections() : 0;
      },
      "How often a connection to the engines was made.");
  m.def("ranks", [] {
    const auto session = kernel::current_session_or_null();
    return session ? session->engines().ranks() : 0;
  });
  m.def(
      "info", [] { return connected_session()->engines().info(); },
      "What the engines said in their greeting, JSON.");
  m.def(
      "configure",
      [](std::vector<std::pair<std::string, std::string>> options) {
        return connected_session()->configure(std::move(options));
      },
      "Sets named options on every engine.");
  m.def("stats", &stats, "Counters of this side.");
  m.def(
      "work_ahead",
      [] {
        const auto session = kernel::current_session_or_null();
        if (!session) return py::make_tuple(0, 0, py::dict());
        const auto& work = session->work_ahead();
        return py::make_tuple(work.sent_commands(), session->recorder().pending().commands.size(),
                              work.unanswered());
      },
      "Commands that were sent, and that wait to be; and of those sent, by the number of their batch, those "
      "not yet answered.");
  m.def(
      "pending",
      [] { return py::reinterpret_steal<py::object>(kernel::to_python(connected_session()->preview())); },
      "The batch that would be sent now.");
  m.def(
      "cut_every_iteration", [](bool is_on) { connected_session()->recorder().cut_every_iteration(is_on); },
      "While a statement is timed: a batch ends where its first command comes again.");
  m.def("set_cut_limits", [](std::size_t soft, std::size_t hard, std::size_t payload) {
    auto& recorder = connected_session()->recorder();
    recorder.set_limits({soft, hard, payload, recorder.limits().work});
  });
}

// What the Python half registers when it is imported: callables of its own, by the name under which `_core`
// takes them.
const struct {
  const char* name;
  kernel::Hook& hook;
} hooks[] = {
    {"set_start_hook", kernel::start_hook},       {"set_wait_hook", kernel::wait_hook},
    {"set_error_factory", kernel::error_hook},    {"set_float_error_hook", kernel::float_error_hook},
    {"set_get_item_hook", kernel::get_item_hook}, {"set_set_item_hook", kernel::set_item_hook},
    {"set_gather_hook", kernel::gather_hook},     {"set_coerce_hook", kernel::coerce_hook},
    {"set_resolve_hook", kernel::resolve_hook},   {"set_negative_hook", kernel::negative_hook},
};

void add_registrations(py::module_& m) {
  for (const auto& each : hooks)
    m.def(each.name, [&hook = each.hook](const py::object& callable) { hook.set(callable.ptr()); });
  m.def("set_array_class",
        [](const py::type& type) { kernel::set_array_class(reinterpret_cast<PyTypeObject*>(type.ptr())); });
  m.def("set_ufuncs", [](const py::list& list) { kernel::set_ufuncs(list.ptr()); });
  m.def(
      "add_numpys_own", [](const py::object& code) { kernel::add_numpys_own(code.ptr()); },
      "Names a function, by its code, that records what NumPy's function of that name computes and nothing "
      "else.");
  m.def("set_package_directory", &kernel::set_package_directory);
  m.def("set_threshold", &kernel::set_threshold);
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "The compiled half of gamelan: records operations and talks to the engines.";
  if (_import_array() < 0) throw py::error_already_set();
  // pybind11 tries translators newest first; these two are ours, everything else is its own.
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      std::rethrow_exception(pointer);
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
  add_session_functions(m);
  add_registrations(m);
  m.def("ops_table", &ops_table, "One dict per row of protocol/ops.def.");
  m.def("dtype_names", &dtype_names, "NumPy's names of the dtypes that engines know, by number.");
  m.def("fingerprint", &protocol::fingerprint);
  m.def(
      "warn",
      [](const py::object& category, const std::string& message) {
        kernel::warn(category.ptr(), message.c_str());
      },
      "Warns at the user's line.");
  m.def(
      "make_writeable",
      [](const py::object& array) {
        PyArray_ENABLEFLAGS(kernel::data_of(kernel::as_array(array.ptr())), NPY_ARRAY_WRITEABLE);
      },
      "Lets an array be written whose memory, which NumPy cannot see, may be.");
  m.def(
      "warn_of_real_parts",
      [](int from, int to) { kernel::warn_of_real_parts(static_cast<Dtype>(from), static_cast<Dtype>(to)); },
      "NumPy's ComplexWarning, where a cast leaves imaginary parts out.");
  m.def("upload", [](const py::object& array) {
    return python(kernel::upload(reinterpret_cast<PyArrayObject*>(array.ptr())));
  });
  m.def("fetch", &fetch, "The arrays' elements as NumPy arrays, in one round trip.");
  m.def(
      "random_fill",
      [](const py::object& array, int op, std::uint64_t key, std::uint64_t offset, const py::object& a,
         const py::object& b) {
        kernel::random_fill(reinterpret_cast<PyArrayObject*>(array.ptr()), static_cast<Op>(op), key, offset,
                            a.ptr(), b.ptr());
      },
      "Fills a NumPy array with the engines' random numbers.");
  m.def("distributions", &distributions, "Number and count of parameters of every distribution, by name.");
  m.def(
      "draw_fill",
      [](const py::object& array, int number, std::uint64_t key, std::uint64_t offset,
         const std::vector<py::object>& parameters) {
        std::vector<PyArrayObject*> arrays;
        for (const auto& parameter : parameters)
          arrays.push_back(reinterpret_cast<PyArrayObject*>(parameter.ptr()));
        kernel::draw_fill(reinterpret_cast<PyArrayObject*>(array.ptr()), number, key, offset, arrays);
      },
      "Fills a contiguous float64 array with numbers of a distribution; parameters: float64, of one element "
      "or contiguous.");
}
