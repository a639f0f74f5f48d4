// SPDX-License-Identifier: BSD-3-Clause
// A model of the engines: a Python callable in this process. Tests run the recorder against it without MPI.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include "protocol/message.hpp"

namespace gamelan::kernel {

class EngineModel {
 public:
  /// `executor`: takes a batch as made by `to_python`, and returns a sequence of bytes, one for each fetch.
  explicit EngineModel(PyObject* executor) : executor_(Ref::borrow(executor)) {}
  /// Throws what the executor raises.
  protocol::Reply run(const protocol::Batch& batch) const;

 private:
  Ref executor_;
};

}  // namespace gamelan::kernel
