// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core by which a cell is planned without being run: a child made by fork records,
// its parent has the engines plan.
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first, as everywhere)
#include <pybind11/stl.h>

#include <string>
#include <variant>

#include "kernel/module/core_functions.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/session.hpp"
#include "protocol/codec.hpp"

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

/// The batch as bytes, and of each command (file, line, moments of work on one rank, is it never joined with
/// others).
py::tuple dry_plan() {
  const auto session = current_session_or_null();
  py::list commands;
  if (session == nullptr) return py::make_tuple(py::bytes(), commands);
  auto plan = session->dry_plan();
  for (std::size_t index = 0; index < plan.work.size(); ++index) {
    const auto& origin = plan.batch.origins.at(plan.batch.commands[index].origin);
    commands.append(
        py::make_tuple(origin.file, origin.line, plan.work[index].moments, plan.work[index].is_single));
  }
  if (plan.work.empty()) return py::make_tuple(py::bytes(), commands);
  const auto packed = protocol::pack(protocol::encode(protocol::Request(std::move(plan.batch))));
  return py::make_tuple(py::bytes(reinterpret_cast<const char*>(packed.data()), packed.size()), commands);
}

/// What the engines say of such a batch, as JSON; of the command `at`: shape and bytes of an element.
py::tuple plan_of(const std::string& packed) {
  const auto session = current_session_or_null();
  if (session == nullptr) throw protocol::Error(protocol::ErrorKind::engine_lost, "no engines are connected");
  const auto* first = reinterpret_cast<const std::byte*>(packed.data());
  auto batch = std::get<protocol::Batch>(
      protocol::decode_request(protocol::unpack(protocol::Bytes(first, first + packed.size()))));
  py::list shapes;
  for (const auto& command : batch.commands)
    shapes.append(py::make_tuple(py::tuple(py::cast(command.out.extents)),
                                 static_cast<int>(command.out.dtype), protocol::size_of(command.out.dtype),
                                 command.creates));
  const auto reply = session->ask_dry(std::move(batch));
  if (reply.outcome != protocol::Outcome::ok)
    raise_error(protocol::Error(reply.error, reply.message), reply.origin);
  return py::make_tuple(reply.info, shapes);
}

}  // namespace

void add_dry_functions(py::module_& m) {
  m.def(
      "begin_dry", [](const py::object& exception) { Session::begin_dry(exception.ptr()); },
      py::arg("exception"),
      "In a child made by fork: from now on operations are recorded and never sent; what needs a value "
      "raises "
      "this exception.");
  m.def("dry_plan", &dry_plan,
        "What was recorded: a batch as bytes, and (file, line, work, is_single) of each command.");
  m.def("plan_of", &plan_of, py::arg("batch"),
        "The engines' plan of a batch that `dry_plan` has given, as JSON, and (shape, dtype, bytes of an "
        "element, creates) of each command. Computes nothing.");
}

}  // namespace gamelan::kernel
