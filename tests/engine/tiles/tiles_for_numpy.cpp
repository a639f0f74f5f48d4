// SPDX-License-Identifier: BSD-3-Clause
// The typed loops behind a C interface, so that against_numpy.py can call them with NumPy's own buffers. Test
// code only.
#include <cstddef>

#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "protocol/ops.hpp"

using namespace gamelan;
using engine::tiles::Isa;
using protocol::Dtype;
using protocol::Op;

extern "C" {

int op_count() { return protocol::op_count(); }
const char* op_name(int op) { return protocol::info(static_cast<Op>(op)).name.data(); }
int op_kind(int op) { return static_cast<int>(protocol::info(static_cast<Op>(op)).kind); }
int result_dtype(int op, int dtype) {
  return static_cast<int>(engine::tiles::result_dtype(static_cast<Op>(op), static_cast<Dtype>(dtype)));
}
int best_isa() { return static_cast<int>(engine::tiles::best_isa()); }
void set_isa(int level) { engine::tiles::set_isa(static_cast<Isa>(level)); }

/// 0 when there is no such loop. `single`: 0 none, 1 left, 2 right.
int run_loop(int op, int dtype, int single, const void* const* in, void* out, std::size_t n) {
  const auto loop = engine::tiles::find_loop(static_cast<Op>(op), static_cast<Dtype>(dtype),
                                             static_cast<engine::tiles::Single>(single));
  if (loop == nullptr) return 0;
  loop(in, out, n, nullptr);
  return 1;
}

void run_cast(int from, int to, const void* in, std::ptrdiff_t in_stride, void* out,
              std::ptrdiff_t out_stride, std::size_t n) {
  engine::tiles::find_cast(static_cast<Dtype>(from), static_cast<Dtype>(to))(
      static_cast<const std::byte*>(in), in_stride, static_cast<std::byte*>(out), out_stride, n);
}

int can_fold(int op, int dtype) {
  return engine::tiles::can_fold(static_cast<Op>(op), static_cast<Dtype>(dtype));
}
void fold_runs(int op, int dtype, const void* values, std::ptrdiff_t run_count, std::ptrdiff_t run_length,
               void* out) {
  engine::tiles::fold_runs(static_cast<Op>(op), static_cast<Dtype>(dtype), values, run_count, run_length,
                           out);
}

}  // extern "C"
