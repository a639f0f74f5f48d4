// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that concern checkpoints: when one is due, and the log that begins anew with
// it.
#include <pybind11/stl.h>

#include <cstdint>
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

void begin_log_with(const py::list& arrays, double seconds) {
  std::vector<CommandLog::Stored> all;
  for (const auto& item : arrays) {
    const auto [id, dtype, extents, path, offset, bytes] =
        item.cast<std::tuple<protocol::ArrayId, int, protocol::Shape, std::optional<std::string>,
                             std::int64_t, std::optional<std::string>>>();
    CommandLog::Stored stored;
    stored.whole = protocol::whole(id, static_cast<protocol::Dtype>(dtype), extents);
    stored.path = path.value_or("");
    stored.offset = offset;
    if (bytes) {
      const auto* first = reinterpret_cast<const std::byte*>(bytes->data());
      stored.bytes.assign(first, first + bytes->size());
    }
    all.push_back(std::move(stored));
  }
  if (const auto session = current_session_or_null()) session->begin_log_with(std::move(all), seconds);
}

}  // namespace

void add_checkpoint_functions(py::module_& m) {
  m.def("begin_log_with", &begin_log_with, py::arg("arrays"), py::arg("seconds"),
        "The log begins anew: (id, number of the dtype, extents, path, offset, None) of an array whose "
        "elements lie in a "
        "file, or (..., None, 0, bytes) of one whose elements are given. `seconds`: that reading may take.");
  m.def(
      "ask_for_checkpoint",
      [](bool is_asked) {
        if (const auto session = current_session_or_null()) session->log().ask_for_checkpoint(is_asked);
      },
      "The next end of a batch makes a checkpoint.");
  m.def(
      "is_checkpoint_due",
      [] {
        const auto session = current_session_or_null();
        return session && session->log().is_due();
      },
      "Should a checkpoint be made?");
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
  m.def("set_checkpoint_due", &CommandLog::set_due,
        "After how many seconds' worth of commands a checkpoint is asked for; 0: never.");
}

}  // namespace gamelan::kernel
