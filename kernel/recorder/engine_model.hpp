// SPDX-License-Identifier: BSD-3-Clause
// Engines played by a Python callable in this process: what the tests run the recorder against without MPI.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include "protocol/message.hpp"

namespace gamelan::kernel {

class EngineModel {
 public:
  /// `executor`: takes a batch as `to_python` makes it, returns a sequence of bytes, one for each fetch.
  explicit EngineModel(PyObject* executor) : executor_(Ref::borrow(executor)) {}
  /// Throws what the executor raises.
  protocol::Reply run(const protocol::Batch& batch) const;

 private:
  Ref executor_;
};

}  // namespace gamelan::kernel
