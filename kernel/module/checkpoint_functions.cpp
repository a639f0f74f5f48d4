// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that concern checkpoints: when one is due, and the log that begins anew with
// it.
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/module/core_functions.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/session.hpp"

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

using Moment = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

bool begin_log_with(const py::list& arrays, const Moment& moment, double seconds, std::uint64_t storing) {
  std::vector<CommandLog::Stored> all;
  for (const auto& item : arrays) {
    const auto [id, dtype, extents, path, offset, sum, bytes] =
        item.cast<std::tuple<protocol::ArrayId, int, protocol::Shape, std::optional<std::string>,
                             std::int64_t, std::uint32_t, std::optional<std::string>>>();
    CommandLog::Stored stored;
    stored.whole = protocol::whole(id, static_cast<protocol::Dtype>(dtype), extents);
    stored.path = path.value_or("");
    stored.offset = offset;
    stored.sum = sum;
    if (bytes) {
      const auto* first = reinterpret_cast<const std::byte*>(bytes->data());
      stored.bytes.assign(first, first + bytes->size());
    }
    all.push_back(std::move(stored));
  }
  const auto session = current_session_or_null();
  const auto [batches, log_epoch, engines] = moment;
  return session && session->begin_log_with(std::move(all), {batches, log_epoch, engines}, seconds, storing);
}

/// This thread is alone with the engines from `enter` to `exit`. No bytecode of Python runs between being
/// alone and being within the context, so an interrupt finds the thread in it or outside.
class Alone {
 public:
  void enter() {
    const auto session = current_session_or_null();
    if (session == nullptr) return;
    if (session->is_my_turn()) {
      PyErr_SetString(PyExc_RuntimeError,
                      "gamelan: this thread is alone with the engines already, in the middle of a "
                      "checkpoint: another one cannot be made here");
      throw PythonError();
    }
    session->be_alone(true);
    session_ = session;
  }
  void exit() {
    if (session_ != nullptr) session_->be_alone(false);
    session_ = nullptr;
  }

 private:
  std::shared_ptr<Session> session_;
};

py::dict unchanged_arrays() {
  py::dict arrays;
  if (const auto session = current_session_or_null())
    for (const auto& stored : session->log().unchanged())
      arrays[py::cast(stored.whole.base)] = py::make_tuple(stored.path, stored.offset, stored.sum);
  return arrays;
}

}  // namespace

void add_checkpoint_functions(py::module_& m) {
  py::class_<Alone>(
      m, "Alone",
      "A context in which other threads wait before they use the engines, and nothing is freed. "
      "RuntimeError where this thread is in one already.")
      .def(py::init<>())
      .def("__enter__", &Alone::enter)
      .def("__exit__", [](Alone& self, const py::args&) { self.exit(); });
  m.def(
      "begin_log_with", &begin_log_with, py::arg("arrays"), py::arg("moment"), py::arg("seconds"),
      py::arg("storing"),
      "The log begins anew: (id, number of the dtype, extents, path, offset, CRC-32, None) of an array whose "
      "elements lie in a "
      "file or, where the path is the name of pieces, in the memory of the nodes; or (..., None, 0, 0, "
      "bytes) of one whose elements are given. They are stored as they were at "
      "`moment`. `seconds`: that reading may "
      "take. `storing`: the key of begin_storing, which ends. False where what came later does not go with "
      "that.");
  m.def(
      "unchanged_arrays", &unchanged_arrays,
      "What the checkpoint with which the log begins has of arrays to which nothing was written since then: "
      "(path, offset, CRC-32) by id. Without those that other clients may write.");
  m.def(
      "moment",
      [] {
        const auto now = current_session()->moment();
        return Moment{now.batches, now.log_epoch, now.engines};
      },
      "This moment, at which nothing is on its way, for begin_log_with.");
  m.def(
      "goes_on_from",
      [](const Moment& moment) {
        const auto session = current_session_or_null();
        const auto [batches, log_epoch, engines] = moment;
        return session && session->goes_on_from({batches, log_epoch, engines});
      },
      "Are these the engines of that moment, and does the log go on from there?");
  m.def(
      "begin_storing",
      [](std::uint64_t key) {
        if (const auto session = current_session_or_null()) session->log().begin_storing(key);
      },
      "A checkpoint is on its way to the disk: no other one is due until it ends. `key`: not 0, of no other "
      "one.");
  m.def(
      "log_begins_with",
      [](std::uint64_t key) {
        const auto session = current_session_or_null();
        return session && session->log().begins_with(key);
      },
      "Has the log begun anew with the checkpoint of this key, and with none since then?");
  m.def(
      "is_checkpoint_due",
      [](bool counts_unlogged) {
        const auto session = current_session_or_null();
        return session && session->log().is_due(counts_unlogged);
      },
      py::arg("counts_unlogged") = true,
      "Should a checkpoint be made now? Without `counts_unlogged`, arrays that the log has lost are no "
      "reason.");
  m.def(
      "end_storing",
      [](std::uint64_t key) {
        if (const auto session = current_session_or_null()) session->log().end_storing(key);
      },
      "Ends what has begun with this key, if it has not ended or been replaced.");
  m.def(
      "look_at_status",
      [](double timeout_s) {
        const auto session = current_session_or_null();
        return session && !session->engines().has_ended() ? session->engines().look_at_status(timeout_s)
                                                          : std::string();
      },
      py::arg("timeout_s") = 5.0,
      "The engines' status; empty where they do not answer, which is not told to anybody.");
  m.def(
      "ask_for_checkpoint",
      [](bool is_asked) {
        if (const auto session = current_session_or_null()) session->log().ask_for_checkpoint(is_asked);
      },
      "The next end of a batch makes a checkpoint; after one that is on its way to the disk.");
  m.def(
      "is_checkpoint_asked_for",
      [] {
        const auto session = current_session_or_null();
        return session && session->log().is_asked();
      },
      "Is a checkpoint still to be made that was asked for?");
  m.def(
      "is_idle",
      [] {
        const auto session = current_session_or_null();
        return session && session->is_idle();
      },
      "True when nothing is pending, on its way, or untold, in any thread.");
  m.def(
      "store_if_due",
      [] {
        if (const auto session = current_session_or_null()) session->store_if_due();
      },
      "Makes a checkpoint if one should be made.");
  m.def(
      "wait_for_others",
      [] {
        if (const auto session = current_session_or_null()) session->wait_for_others();
      },
      "Returns when no other thread waits for a batch; to be called by a thread that is alone.");
  m.def(
      "remove_pieces",
      [](const std::string& name, double wait_s) {
        const auto session = current_session_or_null();
        return session && session->remove_pieces(name, wait_s);
      },
      py::arg("name"), py::arg("wait_s") = 0.0,
      "Has the engines remove pieces of a checkpoint from the memory of their nodes, and waits so long for "
      "that; "
      "False where they could not be asked, or have not answered.");
  m.def("set_checkpoint_due", &CommandLog::set_due,
        "After how many seconds' worth of commands a checkpoint is asked for; 0: never.");
  m.def("makes_checkpoints", &CommandLog::makes_checkpoints,
        "Are checkpoints asked for, and has none failed since that was set?");
}

}  // namespace gamelan::kernel
