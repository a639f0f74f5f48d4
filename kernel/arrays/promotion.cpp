// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/promotion.hpp"

#include <string>
#include <unordered_map>

#include "kernel/arrays/dtypes.hpp"

namespace gamelan::kernel {

using protocol::Dtype;
using protocol::Op;
using Kind = Operand::Kind;

namespace {

std::unordered_map<std::uint64_t, Resolution> resolutions;

std::uint64_t code_of(const Operand& operand) {
  const std::uint64_t form = operand.kind == Kind::number ? 2 : operand.dims() == 0 ? 1 : 0;
  return static_cast<std::uint64_t>(operand.dtype) | form << 4 |
         static_cast<std::uint64_t>(operand.value_class) << 6;
}

// How an operand is described to the resolver: an array by its dtype, a 0-d array on the engines by (dtype,),
// a number by itself.
Ref description_of(const Operand& operand) {
  if (operand.kind == Kind::number) return Ref::borrow(operand.object.get());
  Ref descr(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number(operand.dtype))));
  return operand.dims() > 0 ? std::move(descr) : Ref::checked(PyTuple_Pack(1, descr.get()));
}

Resolution ask(Op op, const Operands& operands, const Dtype* out) {
  Ref list = Ref::checked(PyList_New(0));
  for (const Operand& operand : operands) {
    if (PyList_Append(list.get(), description_of(operand).get()) < 0) throw PythonError();
  }
  Ref out_descr = out == nullptr ? Ref::borrow(Py_None)
                                 : Ref(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number(*out))));
  const std::string name(protocol::info(op).name);
  Ref answer = Ref::checked(
      PyObject_CallFunction(resolve_hook.get(), "sOO", name.c_str(), list.get(), out_descr.get()));
  int loop = 0, result = 0;
  unsigned needs_value = 0;
  if (!PyArg_ParseTuple(answer.get(), "iiI", &loop, &result, &needs_value)) throw PythonError();
  return {static_cast<Dtype>(loop), static_cast<Dtype>(result), needs_value};
}

}  // namespace

constinit Hook resolve_hook;

Resolution resolve(Op op, Operands& operands, const Dtype* out) {
  for (;;) {
    std::uint64_t key =
        static_cast<std::uint64_t>(op) << 4 | (out == nullptr ? 15 : static_cast<std::uint64_t>(*out));
    for (const Operand& operand : operands) key = key << 10 | code_of(operand);
    auto found = resolutions.find(key);
    if (found == resolutions.end()) found = resolutions.emplace(key, ask(op, operands, out)).first;
    if (found->second.needs_value == 0) return found->second;
    for (std::size_t index = 0; index < operands.size(); ++index) {
      if (found->second.needs_value >> index & 1U) operands[index] = fetched(operands[index]);
    }
  }
}

}  // namespace gamelan::kernel
