// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that concern the engines of this process: connecting, sending, interrupts,
// counters.
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first, as everywhere)
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/module/core_functions.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/inspect.hpp"
#include "kernel/recorder/session.hpp"

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

std::shared_ptr<Session> connected_session() {
  auto session = current_session_or_null();
  if (session == nullptr) throw protocol::Error(protocol::ErrorKind::engine_lost, "no engines are connected");
  return session;
}

using RouteList = std::vector<std::pair<std::string, std::vector<std::string>>>;

void connect(const std::string& path, double timeout_s, const py::object& executor, const RouteList& named,
             const std::string& directory) {
  const bool is_model = !executor.is_none();
  const auto connection = is_model ? protocol::Connection{} : protocol::read_connection(path);
  std::vector<Route> routes;
  for (const auto& [name, command] : named) routes.push_back({name, command});
  const auto session = std::make_shared<Session>(connection, std::move(routes), directory,
                                                 is_model ? executor.ptr() : nullptr);
  session->greet(timeout_s);
  set_current_session(session);
}

std::string explain(const py::sequence& arrays) {
  std::vector<protocol::View> views;
  for (const auto& item : arrays) {
    if (!is_distributed(item.ptr())) throw py::type_error("explain expects distributed arrays");
    views.push_back(view_of(as_array(item.ptr())));
  }
  return connected_session()->explain(std::move(views));
}

py::dict stats() {
  py::dict dict;
  dict["host_ops"] = host_ops();
  if (const auto session = current_session_or_null()) {
    dict["recorded_commands"] = session->recorder().recorded_commands();
    dict["pending_commands"] = session->recorder().pending().commands.size();
    dict["sent_batches"] = session->batches();
    dict["fetch_bytes"] = session->fetched_bytes();
    dict["client_wait_seconds"] = session->engines().waited_seconds();
  }
  return dict;
}

}  // namespace

void add_session_functions(py::module_& m) {
  m.def("connect", &connect, py::arg("connection_file"), py::arg("timeout_s") = 30.0,
        py::arg("executor") = py::none(), py::arg("routes") = RouteList(), py::arg("directory") = "",
        "Connects to engines and makes them current. `executor` plays the engines in this process instead. "
        "`routes`: (name, command) in the order in which they are tried, `directory`: private, for the "
        "sockets of their tunnels.");
  m.def(
      "disconnect", [] { set_current_session(nullptr); }, "Leaves the engines; their arrays are lost to us.");
  m.def(
      "is_connected",
      [] {
        const auto session = current_session_or_null();
        return session && !session->engines().has_ended();
      },
      "Do the engines answer, as far as is known? Asks nobody.");
  m.def(
      "hear_of_end",
      [] {
        if (const auto session = current_session_or_null()) session->engines().hear_of_end();
      },
      "Engines that have gone while nobody waited count as lost from here on, with the launcher's cause.");
  m.def(
      "untold_loss",
      [] {
        const auto session = current_session_or_null();
        return session ? session->engines().take_untold_loss() : std::nullopt;
      },
      "Why the engines are gone when no exception has said it yet, else None; said once.");
  m.def(
      "flush",
      [](bool wait) {
        if (const auto session = current_session_or_null()) session->flush(wait);
      },
      py::arg("wait") = true, "Sends what is recorded; with wait, raises what went wrong.");
  m.def(
      "has_unfinished",
      [] {
        const auto session = current_session_or_null();
        return session && session->has_unfinished();
      },
      "True when a flush has something to do or to tell.");
  m.def(
      "stop_soon",
      [] {
        if (const auto session = current_session_or_null()) session->stop_soon();
      },
      "After an interrupt: what is recorded may finish within half a second, else it is cancelled.");
  m.def(
      "set_grace",
      [](double seconds) { Session::set_grace(std::chrono::milliseconds(static_cast<int>(seconds * 1000))); },
      "How long what is recorded may take to finish after an interrupt.");
  m.def(
      "lose",
      [](const std::string& cause) {
        if (const auto session = current_session_or_null()) session->engines().lose(cause);
      },
      "Declares the engines gone.");
  m.def("cancel", [] {
    if (const auto session = current_session_or_null()) session->engines().cancel();
  });
  m.def("shutdown", [] {
    if (const auto session = current_session_or_null()) session->engines().shutdown();
  });
  m.def("explain", &explain, py::arg("arrays") = py::tuple(),
        "The plan of what is pending, and the layouts of the arrays' bases after it, as JSON.");
  m.def(
      "status", [](double timeout_s) { return connected_session()->engines().status(timeout_s); },
      py::arg("timeout_s") = 5.0);
  m.def(
      "last_status",
      [] {
        const auto session = current_session_or_null();
        return session ? session->engines().last_status() : std::string("{}");
      },
      "What the last heartbeat brought, JSON; does not wait.");
  m.def(
      "route",
      [] {
        const auto session = current_session_or_null();
        return session ? session->engines().route() : std::string();
      },
      "How the engines are reached.");
  m.def(
      "connections",
      [] {
        const auto session = current_session_or_null();
        return session ? session->engines().connections() : 0;
      },
      "How often a connection to the engines was made.");
  m.def("ranks", [] {
    const auto session = current_session_or_null();
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
      []() -> py::tuple {
        const auto session = current_session_or_null();
        if (!session) return py::make_tuple(0, 0, py::dict());
        const auto& work = session->work_ahead();
        return py::make_tuple(work.sent_commands(), session->recorder().pending().commands.size(),
                              work.unanswered());
      },
      "Commands that were sent, and that wait to be; and of those sent, by the number of their batch, those "
      "not yet answered.");
  m.def(
      "pending", [] { return python(to_python(connected_session()->preview())); },
      "The batch that would be sent now.");
  m.def(
      "cut_every_iteration", [](bool is_on) { connected_session()->recorder().cut_every_iteration(is_on); },
      "While a statement is timed: a batch ends where its first command comes again.");
  m.def("set_cut_limits", [](std::size_t soft, std::size_t hard, std::size_t payload) {
    auto& recorder = connected_session()->recorder();
    recorder.set_limits({soft, hard, payload, recorder.limits().work});
  });
}

}  // namespace gamelan::kernel
