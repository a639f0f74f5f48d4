// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that concern the session's log: what is kept of it, what is repeated, and
// what an earlier kernel has left.
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first, as everywhere)
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/module/core_functions.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/session.hpp"

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

std::shared_ptr<Session> connected_session() {
  auto session = current_session_or_null();
  if (session == nullptr) throw protocol::Error(protocol::ErrorKind::engine_lost, "no engines are connected");
  return session;
}

py::list log_arrays() {
  const auto session = connected_session();
  py::list arrays;
  auto views = session->log().living();
  const auto beside = session->unlogged();
  views.insert(views.end(), beside.begin(), beside.end());
  for (const auto& view : views)
    arrays.append(py::make_tuple(view.base, static_cast<int>(view.dtype), py::tuple(py::cast(view.extents))));
  return arrays;
}

CommandLog::Lost unlogged() {
  CommandLog::Lost why;
  if (const auto session = current_session_or_null())
    for (const auto& view : session->unlogged()) why.emplace(view.base, session->log().lost().at(view.base));
  return why;
}

void prune_log() {
  if (const auto session = current_session_or_null()) session->log().prune();
}

std::vector<protocol::ArrayId> lost_without_elements() {
  std::vector<protocol::ArrayId> ids;
  if (const auto session = current_session_or_null())
    for (const auto& [id, why] : session->log().lost_without_elements()) ids.push_back(id);
  return ids;
}

void lose_file(const std::string& path) {
  if (const auto session = current_session_or_null()) session->log().lose_file(path);
}

bool has_foreign() {
  const auto session = current_session_or_null();
  return session && session->log().has_foreign();
}

bool has_newly_unlogged() {
  const auto session = current_session_or_null();
  return session && session->log().has_newly_unlogged();
}

py::tuple written_log(std::uint64_t generation, std::size_t first, bool without_elements) {
  const auto session = current_session_or_null();
  if (session == nullptr || !CommandLog::is_on()) return py::make_tuple(0, 0, py::bytes());
  const auto& log = session->log();
  const bool is_new = generation != log.generation();
  const auto bytes = log.written(is_new ? 0 : std::min(first, log.batches()), is_new, without_elements);
  return py::make_tuple(log.generation(), log.batches(),
                        py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Session::TakenOver take_over_log(const std::string& file, const std::vector<protocol::ArrayId>& wanted) {
  CommandLog log;
  log.read(std::as_bytes(std::span(file.data(), file.size())));
  return current_session()->take_over(std::move(log), {wanted.begin(), wanted.end()});
}

py::tuple inherit(std::uint64_t holder, std::uint64_t mark, const std::optional<std::string>& file,
                  const std::vector<protocol::ArrayId>& wanted, bool has_ended) {
  CommandLog log;
  if (file) log.read(std::as_bytes(std::span(file->data(), file->size())));
  auto got =
      current_session()->inherit({holder, mark, has_ended}, std::move(log), {wanted.begin(), wanted.end()});
  return py::make_tuple(std::move(got.arrays), std::move(got.shared), std::move(got.written), got.taken);
}

std::vector<std::string> log_files() {
  const auto session = current_session_or_null();
  return session == nullptr ? std::vector<std::string>() : session->log().files();
}

std::uint64_t mark_log(std::vector<protocol::ArrayId> wanted) {
  const auto session = current_session_or_null();
  return session == nullptr ? 0 : session->mark(std::move(wanted));
}

void keep_marks(const std::unordered_set<std::uint64_t>& keys) {
  if (const auto session = current_session_or_null()) session->log().keep_marks(keys);
}

std::unordered_set<protocol::ArrayId> changed_since(std::uint64_t mark,
                                                    const std::vector<protocol::ArrayId>& among) {
  const auto session = current_session_or_null();
  if (session == nullptr) return {among.begin(), among.end()};
  return session->log().changed_since(mark, among);
}

Session::TakenOver make_again(std::uint64_t mark, const std::vector<protocol::ArrayId>& wanted,
                              const py::object& tell) {
  return connected_session()->make_again(
      mark, wanted, [&](std::size_t commands, double seconds) { tell(commands, seconds); });
}

}  // namespace

void add_log_functions(py::module_& m) {
  m.def("written_log", &written_log, py::arg("generation"), py::arg("first"),
        py::arg("without_elements") = false,
        "The session's log for a file: (its generation, how many batches it has, bytes). The bytes have the "
        "batches from number `first` on; all, if the log has another generation now. `without_elements`: "
        "without large numbers of the program's own elements.");
  m.def("inherit", &inherit, py::arg("holder"), py::arg("mark"), py::arg("file"), py::arg("wanted"),
        py::arg("has_ended") = false,
        "Takes over what an earlier kernel, which held its arrays under this number, has left on these "
        "engines; `has_ended`: is its process known to be gone? What has changed since its mark is computed "
        "again by its log, the bytes of a file or None. "
        "Returns the ids here, or why an array is not there, by the ids there; the ids of those that others "
        "may write; of these, of those that were written since; and how many were not computed again.");
  m.def("take_over_log", &take_over_log, py::arg("file"), py::arg("wanted"),
        "Repeats what made these arrays, by their ids, in another process; returns their ids here, or why "
        "some cannot be made, "
        "by id.");
  m.def("log_files", &log_files, "The files that the commands of the log read.");
  m.def("mark_log", &mark_log, py::arg("wanted"),
        "Marks this moment in the log, so that these arrays can be made again as they are now; returns the "
        "mark's key, 0 without engines.");
  m.def("keep_marks", &keep_marks, py::arg("keys"), "Forgets all other marks.");
  m.def("changed_since", &changed_since, py::arg("mark"), py::arg("among"),
        "Those of the arrays to which a command behind the mark has written in place; all, where the mark is "
        "not known.");
  m.def("make_again", &make_again, py::arg("mark"), py::arg("wanted"), py::arg("tell"),
        "Makes arrays as they were at a mark, beside those that there are, after `tell(commands, seconds)`; "
        "returns their new ids, or why some cannot be made, by id. Waits.");
  m.def(
      "log_arrays", &log_arrays,
      "The arrays that live, those that the log has lost, too: (id, number of the dtype, extents) of each.");
  m.def("unlogged", &unlogged,
        "Why the log cannot make arrays that the engines have, by id: they would be lost with the engines.");
  m.def("prune_log", &prune_log, "Forgets commands of the log that nobody needs. Decodes all of it.");
  m.def(
      "lose_file", &lose_file, py::arg("path"),
      "The program has written this file, or this folder: what the log reads there it cannot make any more.");
  m.def("lost_without_elements", &lost_without_elements,
        "Arrays that a log without elements cannot make, by id. Decodes all of it.");
  m.def("has_foreign", &has_foreign,
        "Has another client written into arrays of this program, as far as the engines have said?");
  m.def("has_newly_unlogged", &has_newly_unlogged,
        "Has the log's limit made some of them so, since the log began with a checkpoint?");
}

}  // namespace gamelan::kernel
