// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/inspect.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Bytes;
using protocol::View;

namespace {

Ref text_of(std::string_view text) {
  return Ref::checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

Ref bytes_of(const std::byte* data, std::size_t size) {
  return Ref::checked(
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(data), static_cast<Py_ssize_t>(size)));
}

void set(const Ref& dict, const char* name, const Ref& value) {
  if (PyDict_SetItemString(dict.get(), name, value.get()) < 0) throw PythonError();
}

/// A Python list of what `convert` makes of each.
template <class Items, class Convert>
Ref list_of(const Items& items, Convert convert) {
  Ref list = Ref::checked(PyList_New(0));
  for (const auto& item : items)
    if (PyList_Append(list.get(), convert(item).get()) < 0) throw PythonError();
  return list;
}

Ref number(std::int64_t value) { return Ref::checked(PyLong_FromLongLong(value)); }
Ref id(protocol::ArrayId value) { return Ref::checked(PyLong_FromUnsignedLongLong(value)); }

Ref tuple_of(const std::vector<std::int64_t>& numbers) {
  return Ref::checked(PyList_AsTuple(list_of(numbers, number).get()));
}

Ref view_dict(const View& view) {
  Ref dict = Ref::checked(PyDict_New());
  set(dict, "base", id(view.base));
  set(dict, "dtype", text_of(protocol::info(view.dtype).name));
  set(dict, "offset", number(view.offset));
  set(dict, "extents", tuple_of(view.extents));
  set(dict, "strides", tuple_of(view.strides));
  return dict;
}

Ref operand_dict(const protocol::Operand& operand) {
  if (const auto* view = std::get_if<View>(&operand)) return view_dict(*view);
  const auto& scalar = std::get<protocol::Scalar>(operand);
  Ref dict = Ref::checked(PyDict_New());
  set(dict, "dtype", text_of(protocol::info(scalar.dtype).name));
  set(dict, "scalar", bytes_of(scalar.bytes.data(), protocol::size_of(scalar.dtype)));
  return dict;
}

Ref command_dict(const Batch& batch, const protocol::Command& command, bool goes_on) {
  Ref dict = Ref::checked(PyDict_New());
  set(dict, "op", text_of(protocol::info(command.op).name));
  set(dict, "loop", text_of(protocol::info(command.loop).name));
  set(dict, "out", view_dict(command.out));
  set(dict, "creates", Ref::borrow(command.creates ? Py_True : Py_False));
  set(dict, "in", list_of(command.in, operand_dict));
  set(dict, "ints", list_of(command.ints, number));
  if (command.payload >= 0) {
    const Bytes& payload = batch.payloads.at(static_cast<std::size_t>(command.payload));
    set(dict, "payload", bytes_of(payload.data(), payload.size()));
  }
  if (command.origin < batch.origins.size()) {
    const auto& origin = batch.origins[command.origin];
    set(dict, "origin",
        Ref::checked(Py_BuildValue("(si)", origin.file.c_str(), static_cast<int>(origin.line))));
  }
  set(dict, "goes_on", Ref::borrow(goes_on ? Py_True : Py_False));
  return dict;
}

}  // namespace

Ref to_python(const Batch& batch) {
  std::optional<std::uint32_t> origin_before;
  Ref dict = Ref::checked(PyDict_New());
  set(dict, "commands", list_of(batch.commands, [&](const protocol::Command& command) {
        const bool goes_on = command.origin == origin_before;  // with the call of the one before it
        origin_before = command.origin;
        return command_dict(batch, command, goes_on);
      }));
  set(dict, "frees", list_of(batch.frees, id));
  set(dict, "fetches", list_of(batch.fetches, view_dict));
  return dict;
}

}  // namespace gamelan::kernel
