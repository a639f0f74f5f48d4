// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/engine_model.hpp"

#include <vector>

#include "kernel/recorder/inspect.hpp"
#include "protocol/codec.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Bytes;

namespace {

/// The contents of a sequence of bytes-like objects.
std::vector<Bytes> bytes_list(PyObject* sequence) {
  Ref fast = Ref::checked(PySequence_Fast(sequence, "expected a sequence of bytes"));
  std::vector<Bytes> result;
  for (Py_ssize_t index = 0; index < PySequence_Fast_GET_SIZE(fast.get()); ++index) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(PySequence_Fast_GET_ITEM(fast.get(), index), &buffer, PyBUF_SIMPLE) != 0)
      throw PythonError();
    const auto* first = static_cast<const std::byte*>(buffer.buf);
    result.emplace_back(first, first + buffer.len);
    PyBuffer_Release(&buffer);
  }
  return result;
}

}  // namespace

protocol::Reply EngineModel::run(const Batch& batch) const {
  // The batch goes through the codec, so the model executes what engines would receive.
  const auto decoded = std::get<Batch>(protocol::decode_request(protocol::encode(protocol::Request{batch})));
  const Ref message = to_python(decoded);
  Ref answer = Ref::checked(PyObject_CallOneArg(executor_.get(), message.get()));
  protocol::Reply reply;
  reply.payloads = bytes_list(answer.get());
  return reply;
}

}  // namespace gamelan::kernel
