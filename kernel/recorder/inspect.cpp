// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/inspect.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

namespace py = pybind11;

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Bytes;
using protocol::View;

namespace {

py::bytes bytes_of(const std::byte* data, std::size_t size) {
  return py::bytes(reinterpret_cast<const char*>(data), size);
}

py::dict view_dict(const View& view) {
  py::dict dict;
  dict["base"] = view.base;
  dict["dtype"] = std::string(protocol::info(view.dtype).name);
  dict["offset"] = view.offset;
  dict["extents"] = py::tuple(py::cast(view.extents));
  dict["strides"] = py::tuple(py::cast(view.strides));
  return dict;
}

py::dict operand_dict(const protocol::Operand& operand) {
  if (const auto* view = std::get_if<View>(&operand)) return view_dict(*view);
  const auto& scalar = std::get<protocol::Scalar>(operand);
  py::dict dict;
  dict["dtype"] = std::string(protocol::info(scalar.dtype).name);
  dict["scalar"] = bytes_of(scalar.bytes.data(), protocol::size_of(scalar.dtype));
  return dict;
}

}  // namespace

PyObject* to_python(const Batch& batch) try {
  py::list commands;
  std::optional<std::uint32_t> origin_before;
  for (const auto& command : batch.commands) {
    py::dict dict;
    dict["op"] = std::string(protocol::info(command.op).name);
    dict["loop"] = std::string(protocol::info(command.loop).name);
    dict["out"] = view_dict(command.out);
    dict["creates"] = command.creates;
    py::list inputs;
    for (const auto& operand : command.in) inputs.append(operand_dict(operand));
    dict["in"] = inputs;
    dict["ints"] = command.ints;
    if (command.payload >= 0) {
      const Bytes& payload = batch.payloads.at(static_cast<std::size_t>(command.payload));
      dict["payload"] = bytes_of(payload.data(), payload.size());
    }
    if (command.origin < batch.origins.size()) {
      dict["origin"] = py::make_tuple(batch.origins[command.origin].file, batch.origins[command.origin].line);
    }
    dict["goes_on"] = command.origin == origin_before;  // with the call of the one before it
    origin_before = command.origin;
    commands.append(dict);
  }
  py::list fetches;
  for (const auto& view : batch.fetches) fetches.append(view_dict(view));
  py::dict dict;
  dict["commands"] = commands;
  dict["frees"] = batch.frees;
  dict["fetches"] = fetches;
  return dict.release().ptr();
} catch (py::error_already_set& error) {
  error.restore();
  return nullptr;
}

}  // namespace gamelan::kernel
