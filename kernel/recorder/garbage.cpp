// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/garbage.hpp"

#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <algorithm>

namespace gamelan::kernel {

namespace {

/// Calls gc.collect, because PyGC_Collect does nothing after the user has switched the collector off.
void run_collector() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Ref module(PyImport_ImportModule("gc"));
  const Ref found(module ? PyObject_CallMethod(module.get(), "collect", nullptr) : nullptr);
  if (!found)
    PyErr_Clear();  // an error of the collector itself is dropped: the caller only wants to make an array
  PyErr_Restore(type, value, traceback);
}

}  // namespace

void Garbage::set_heap(std::int64_t bytes) {
  heap_ = bytes;
  if (heap_ > 0) collect_above_ = heap_ / 4;
}

/// A collection may take as long as the engines need for a gigabyte, so there are about six until the heap is
/// full.
std::int64_t Garbage::next_after(std::int64_t live) const {
  return live + std::max((heap_ - live) / 4, heap_ / 8);
}

void Garbage::collect(std::int64_t coming) {
  if (heap_ <= 0 || is_collecting_) return;
  const std::int64_t before = live_;
  is_collecting_ = true;
  run_collector();
  is_collecting_ = false;
  collect_above_ = next_after(live_ + coming);
  fruitless_ = before - live_ < heap_ / 16 ? fruitless_ + 1 : 0;
  // A loop that fills the memory in every iteration, and leaves nothing in cycles, must not collect in every
  // iteration.
  rests_to_come_ = fruitless_ < 5 ? 0 : 1 << std::min(fruitless_ - 5, 20);
}

void Garbage::rest() {
  if (heap_ <= 0 || --rests_to_come_ >= 0) return;
  rests_to_come_ = 0;
  collect_above_ = std::min(collect_above_, next_after(live_));
}

}  // namespace gamelan::kernel
