// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that concern the engines of this process: connecting, sending, interrupts,
// counters.
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first, as everywhere)
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/connection/failure_detector.hpp"
#include "kernel/module/core_functions.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/gil.hpp"
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

/// Returns whether the arrays of the present session live on, on these engines.
bool connect(const std::string& path, double timeout_s, const py::object& executor, const RouteList& named,
             const std::string& directory, const std::string& who) {
  const bool is_model = !executor.is_none();
  const auto connection = is_model ? protocol::Connection{} : protocol::read_connection(path);
  std::vector<Route> routes;
  for (const auto& [name, command] : named) routes.push_back({name, command});
  const auto present = current_session_or_null();
  if (!is_model && present && (present->is_recovering() || present->can_recover())) {
    present->introduce(who);
    present->adopt(connection, std::move(routes), directory, timeout_s);
    return true;
  }
  const auto session = std::make_shared<Session>(connection, std::move(routes), directory,
                                                 is_model ? executor.ptr() : nullptr);
  session->introduce(who);
  session->greet(timeout_s);
  set_current_session(session);
  return false;
}

std::string explain(const py::sequence& arrays) {
  std::vector<protocol::View> views;
  for (const auto& item : arrays) {
    if (!is_distributed(item.ptr())) throw py::type_error("explain expects distributed arrays");
    views.push_back(view_of(as_array(item.ptr())));
  }
  return connected_session()->explain(std::move(views));
}

std::string ask_holding(const std::string& ask, const py::object& array, const std::string& name,
                        const std::string& about) {
  using Ask = protocol::Holding::Ask;
  const std::map<std::string, Ask> known{
      {"list", Ask::list}, {"publish", Ask::publish}, {"attach", Ask::attach}, {"unpublish", Ask::unpublish}};
  const auto id = array.is_none() ? 0 : view_of(as_array(array.ptr())).base;
  return connected_session()->hold({0, known.at(ask), 0, id, name, about});
}

py::object borrow(protocol::ArrayId id, int dtype, const std::vector<npy_intp>& extents) {
  Ref array = new_distributed(connected_session(), static_cast<protocol::Dtype>(dtype),
                              static_cast<int>(extents.size()), extents.data());
  as_array(array.get())->b->id = id;  // its creation is not recorded, so that its end frees nothing
  return py::reinterpret_steal<py::object>(array.release());
}

py::object own(protocol::ArrayId id, int dtype, const std::vector<npy_intp>& extents) {
  auto array = borrow(id, dtype, extents);
  as_array(array.ptr())->b->is_recorded = true;
  connected_session()->note_taken(
      protocol::whole(id, static_cast<protocol::Dtype>(dtype), {extents.begin(), extents.end()}));
  return array;
}

py::dict stats() {
  py::dict dict;
  dict["host_ops"] = host_ops();
  if (const auto session = current_session_or_null()) {
    dict["recorded_commands"] = session->recorder().recorded_commands();
    dict["pending_commands"] = session->recorder().pending().commands.size();
    dict["unstored_arrays"] = session->unstored_arrays();
    dict["sent_batches"] = session->batches();
    dict["fetch_bytes"] = session->fetched_bytes();
    dict["log_commands"] = session->log().commands();
    dict["log_bytes"] = session->log().bytes();
    dict["client_wait_seconds"] = session->engines().waited_seconds();
  }
  return dict;
}

}  // namespace

void add_session_functions(py::module_& m) {
  m.def("connect", &connect, py::arg("connection_file"), py::arg("timeout_s") = 30.0,
        py::arg("executor") = py::none(), py::arg("routes") = RouteList(), py::arg("directory") = "",
        py::arg("who") = "",
        "Connects to engines and makes them current. Engines that follow lost ones compute again what these "
        "held; "
        "then the result is True. `executor` plays the engines in this process instead. "
        "`routes`: (name, command) in the order in which they are tried, `directory`: private, for the "
        "sockets of their tunnels. `who`: this client, for people.");
  m.def("ask_holding", &ask_holding, py::arg("ask"), py::arg("array") = py::none(), py::arg("name") = "",
        py::arg("about") = "",
        "Asks about who holds arrays (list, attach) or changes it (publish, unpublish); JSON.");
  m.def(
      "published",
      [] {
        py::list all;
        if (const auto session = current_session_or_null())
          for (const auto& [name, holding] : session->published())
            all.append(py::make_tuple(name, holding.array, holding.about));
        return all;
      },
      "What this program has published: (name, the array's id, what is said to who attaches it).");
  m.def(
      "holder", [] { return connected_session()->recorder().holder(); },
      "The number under which this client holds its arrays.");
  m.def(
      "share_writes",
      [](const py::object& array) {
        auto* base = as_array(array.ptr())->b;
        base->is_shared = true;
        connected_session()->log().note_shared(base->id);
      },
      py::arg("array"),
      "Other clients may write this distributed array from now on: nothing fetched of it is kept, and "
      "checkpoints write it anew.");
  m.def(
      "disconnect", [] { set_current_session(nullptr); }, "Leaves the engines; their arrays are lost to us.");
  m.def(
      "note_end_of_python",
      [](bool is_last) {
        thread_that_ends_python = gettid();
        if (!is_last) return;
        has_python_ended = true;
        // What NumPy computes for a thread asks for the GIL, too, within functions of ours that let no
        // exception pass.
        static const std::terminate_handler otherwise = std::set_terminate([] {
          while (is_left_behind()) pause();
          otherwise();
        });
      },
      py::arg("is_last"),
      "This thread ends Python: others that need engines end. is_last: nothing of ours is called any more.");
  m.def(
      "is_connected",
      [] {
        const auto session = current_session_or_null();
        return session && !session->engines().has_ended();
      },
      "Do the engines answer, as far as is known? Asks nobody.");
  m.def(
      "are_at_hand",
      [] {
        const auto session = current_session_or_null();
        return session && session->is_at_hand();
      },
      "Would engines of this machine answer at once, as far as is known? Asks nobody.");
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
      "end_interrupted",
      [] {
        if (const auto session = current_session_or_null()) session->end_interrupted();
      },
      "After an interrupt: what is recorded runs behind the program; a second interrupt cuts it.");
  m.def(
      "hear_replies",
      [] {
        if (const auto session = current_session_or_null()) session->hear_replies();
      },
      "Takes note of what the engines have done since an interrupt; waits for nothing and raises nothing.");
  m.def(
      "lose",
      [](const std::string& cause) {
        const auto session = current_session_or_null();
        if (!session) return;
        session->engines().lose(cause);
        session->give_up();
      },
      "Declares the engines gone, and with them their arrays.");
  m.def(
      "repeatable",
      []() -> py::object {
        const auto session = current_session_or_null();
        if (!session || !session->keeps_arrays()) return py::none();
        const auto now = session->log().of_now();
        return py::make_tuple(now.commands(), now.seconds());
      },
      "How many commands the next engines will repeat, and how many seconds they took; None where arrays are "
      "lost with their engines.");
  m.def("borrow", &borrow, py::arg("id"), py::arg("dtype"), py::arg("extents"),
        "An array by its id, as long as another name keeps it.");
  m.def("own", &own, py::arg("id"), py::arg("dtype"), py::arg("extents"),
        "An array that the engines have by this id, and that no other object names.");
  m.def(
      "part",
      [](const std::string& cause) {
        if (const auto session = current_session_or_null()) session->part(cause);
      },
      "The engines are to be ended, and others will be connected; other threads wait for these, until "
      "end_part.");
  m.def("end_part", [] {
    if (const auto session = current_session_or_null()) session->end_part();
  });
  m.def("set_log_limit", &CommandLog::set_limit,
        "Most bytes of commands that are kept to be repeated; 0: none.");
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
      "suspension",
      [] {
        const auto session = current_session_or_null();
        return session ? session->engines().suspension() : std::nullopt;
      },
      "Why nothing is heard of engines that are waited for; None while they answer.");
  m.def(
      "set_patience",
      [](double seconds) {
        FailureDetector::set_patience(std::chrono::seconds(std::llround(seconds)));
        if (const auto session = current_session_or_null()) session->tell_patience();
      },
      "How long engines that were reached may be silent before they count as lost.");
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
  m.def(
      "set_cut_limits",
      [](std::size_t soft, std::size_t hard, std::size_t payload, std::int64_t work) {
        auto& recorder = connected_session()->recorder();
        recorder.set_limits({soft, hard, payload, work != 0 ? work : recorder.limits().work});
      },
      py::arg("soft"), py::arg("hard"), py::arg("payload"), py::arg("work") = 0);
}

}  // namespace gamelan::kernel
