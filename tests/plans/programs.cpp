// SPDX-License-Identifier: BSD-3-Clause
#include "tests/plans/programs.hpp"

namespace gamelan::tests {
namespace {

using engine::plan::BatchWriter;
using engine::plan::number;
using engine::plan::part;
using protocol::Dtype;
using protocol::Op;
using protocol::View;

constexpr std::int64_t n = 700, row_length = 100'000;

View grid(BatchWriter& r) { return r.existing({n, n}); }
View row(BatchWriter& r, Dtype dtype = Dtype::float64) { return r.existing({row_length}, dtype); }

void jacobi(BatchWriter& r) { record_jacobi(r, grid(r), n); }
void fused_chain(BatchWriter& r) {
  const View a = row(r), b = row(r);
  r.compute(Op::sqrt, {r.compute(Op::add, {a, r.compute(Op::multiply, {b, number(3)})})}, false);
}
void strength_reduction(
    BatchWriter& r) {  // a division by a power of two is a multiplication, by 10 it is not
  const View a = row(r);
  r.compute(Op::divide, {r.compute(Op::divide, {a, number(8)}), number(10)}, false);
}
void sweeps(BatchWriter& r) {
  constexpr std::int64_t large = 1000;
  const View u = r.existing({large, large});
  for (int sweep = 0; sweep < 3; ++sweep) record_jacobi(r, u, large);
}
void copy_elision(BatchWriter& r) {
  const View u = grid(r);
  r.compute(Op::copy, {u}, false);
  record_jacobi(r, u, n);
}
void interior(BatchWriter& r) {
  const View u = grid(r);
  const View old = r.compute(Op::copy, {u});
  record_jacobi(r, u, n);
  const View change = r.compute(Op::subtract, {u, old});
  r.sum(r.compute(Op::multiply, {change, change}));
}
void waits_for_its_readers(BatchWriter& r) {
  const View u = grid(r), inner = part(u, 1, n - 1, 1, n - 1);
  r.assign(inner, r.compute(Op::multiply, {inner, number(0.3)}));
  const View four = r.compute(Op::multiply, {inner, number(4)});
  r.sum(r.compute(Op::subtract, {four, part(u, 0, n - 2, 1, n - 1)}));
}
void overwritten(BatchWriter& r) {  // the zeros of a join have no pass
  const View u = grid(r), b = grid(r);
  r.assign(part(u, 1, n - 1, 1, n - 1), r.compute(Op::multiply, {part(b, 1, n - 1, 1, n - 1), number(3)}));
  r.compute(Op::multiply, {u, number(2)}, false);
  const auto call = r.batch().commands.size();
  const View joined = r.call(Op::copy, {n, n}, Dtype::float64, {number(0)});
  r.assign(part(joined, 0, 1, 0, n), part(b, n - 1, n, 0, n));
  r.assign(part(joined, 1, n, 0, n), part(b, 0, n - 1, 0, n));
  r.batch().origins = {{}, {"cell", 3}};
  for (auto c = call; c < r.batch().commands.size(); ++c) r.batch().commands[c].origin = 1;
}
void sum_all(BatchWriter& r) { r.sum(grid(r)); }
template <int axis>
void sum_axis(BatchWriter& r) {
  r.call(Op::sum, {n}, Dtype::float64, {grid(r)}, {axis});
}
void two_folds(BatchWriter& r) {
  const View a = grid(r);
  const View twice = r.compute(Op::multiply, {a, number(2)}, false);
  r.sum(twice);
  r.call(Op::max, {}, Dtype::float64, {a}, {0, 1});
}
void variance_of_columns(BatchWriter& r) {
  const View twice = r.compute(Op::multiply, {grid(r), number(2)});
  r.call(Op::squared_deviations, {n}, Dtype::float64, {twice}, {0});
}
void nearest(BatchWriter& r) {  // the distances have a name
  const View points = r.existing({row_length, 2}), centres = r.existing({3, 2});
  View from = points, to = centres;
  from.extents = to.extents = {row_length, 3, 2};
  from.strides = {16, 0, 8};
  to.strides = {0, 16, 8};
  const View difference = r.compute(Op::subtract, {from, to});
  const View square = r.compute(Op::square, {difference});
  const View distance = r.call(Op::sum, {row_length, 3}, Dtype::float64, {square}, {2});
  r.call(Op::argmin, {row_length, 1}, Dtype::int64, {distance}, {1});
}
void matmul(BatchWriter& r) { r.call(Op::matmul, {n, n}, Dtype::float64, {grid(r), grid(r)}); }
void sort(BatchWriter& r) { r.call(Op::sort, {row_length}, Dtype::float64, {row(r)}, {0}); }
void argsort(BatchWriter& r) { r.call(Op::argsort, {row_length}, Dtype::int64, {row(r)}, {0}); }
void take(BatchWriter& r) {
  r.call(Op::take, {row_length}, Dtype::float64, {row(r), row(r, Dtype::int64)}, {0});
}
void put(BatchWriter& r) { r.put(row(r), row(r, Dtype::int64), row(r)); }
void scan(BatchWriter& r) {
  r.call(Op::accumulate, {row_length}, Dtype::float64, {row(r)}, {0, static_cast<std::int64_t>(Op::add)});
}
void fft(BatchWriter& r) {
  r.call(Op::fourier, {n, n}, Dtype::complex128, {grid(r), number(1)}, {0, 0, n, 0});
}
void redistribute(BatchWriter& r) {  // three pieces along the second axis, cut at 100 and 400
  r.call(Op::redistribute, {n, n}, Dtype::float64, {grid(r)}, {0, 0, 2, n, 1, 0, n, 3, 2, 100, 400});
}
void mask(BatchWriter& r) {
  const View a = row(r);
  const View positions = r.call(Op::nonzero, {row_length / 2}, Dtype::int64, {row(r, Dtype::bool_)});
  r.call(Op::take, {row_length / 2}, Dtype::float64, {a, positions}, {0});
}
void select(BatchWriter& r) {  // x[m] += 1
  const View x = row(r), m = row(r, Dtype::bool_);
  const View picked = r.call(Op::nonzero, {row_length / 2}, Dtype::float64, {m, x});
  r.put(x, m, r.compute(Op::add, {picked, number(1)}));
}
void rows_by_flags(BatchWriter& r) {  // a[m] += 1; a[m] = 0
  const View a = r.existing({row_length, 4}), m = row(r, Dtype::bool_);
  const View picked = r.call(Op::nonzero, {row_length / 2, 4}, Dtype::float64, {m, a});
  r.put(a, m, r.compute(Op::add, {picked, number(1)}));
  r.put(a, m, number(0));
}
void weighted_count(BatchWriter& r) {
  r.call(Op::weighted_bincount, {1000}, Dtype::float64, {row(r, Dtype::int64), row(r)}, {1024});
}
void diagonal(BatchWriter& r) {
  const View m = grid(r);
  View view = m;
  view.extents = {n};
  view.strides = {m.strides[0] + m.strides[1]};
  r.assign(view, r.compute(Op::multiply, {view, number(2)}));
}
void windows(BatchWriter& r) {
  View view = row(r);
  view.extents = {row_length - 2, 3};
  view.strides = {8, 8};
  r.compute(Op::multiply, {view, number(2)}, false);
}
void pooling(BatchWriter& r) {
  View view = grid(r);
  view.extents = {n / 2, 2, n / 2, 2};
  view.strides = {n * 16, n * 8, 16, 8};
  r.call(Op::sum, {n / 2, n / 2}, Dtype::float64, {view}, {1, 3});
}
void unit_axes(BatchWriter& r) {
  View view = grid(r);
  view.extents = {n, 1, n};
  view.strides = {n * 8, 0, 8};
  const View copy = r.call(Op::sum, {n, n}, Dtype::float64, {view}, {1});
  r.call(Op::sum, {n}, Dtype::float64, {r.compute(Op::multiply, {copy, number(3)})}, {0});
  view.extents = {n, 1, n / 2, 2};
  view.strides = {n * 8, 0, 16, 8};
  r.call(Op::sum, {2}, Dtype::float64, {view}, {0, 1, 2});
}
void rows_searched(BatchWriter& r) {
  const View root = r.compute(Op::sqrt, {r.existing({4000, 1000})});
  r.call(Op::argmin, {4000, 1}, Dtype::int64, {root}, {1});
  r.call(Op::argmax, {4000, 1}, Dtype::int64, {r.compute(Op::sqrt, {root})}, {1});
}
void computed_twice(BatchWriter& r) {
  const View line = r.compute(Op::multiply, {r.existing({2000, 2000}), number(3)});
  View total = r.sum(r.compute(Op::square, {line}));
  total.extents = line.extents;
  total.strides = {0, 0};
  r.compute(Op::divide, {line, total}, false);
}
void relayout(BatchWriter& r) {  // a row is looked at as a square
  View square = r.existing({n * n});
  square.extents = {n, n};
  square.strides = {n * 8, 8};
  r.compute(Op::subtract, {part(square, 0, n - 1, 0, n), part(square, 1, n, 0, n)}, false);
}

}  // namespace

const std::vector<GoldenProgram>& golden_programs() {
  static const std::vector<GoldenProgram> all{
      {"jacobi", "u[1:-1,1:-1] = 0.25 * (four neighbours)", 4, {}, jacobi},
      {"jacobi_without_versions", "the same, computed aside", 4, {"version"}, jacobi},
      {"sweeps", "the same three times, and nobody looks", 2, {}, sweeps},
      {"fused_chain", "np.sqrt(a + 3 * b)", 3, {}, fused_chain},
      {"unfused_chain", "the same, a pass for each command", 3, {"fuse"}, fused_chain},
      {"strength_reduction", "a / 8 / 10", 3, {}, strength_reduction},
      {"copy_elision", "old = u.copy(); the sweep", 4, {}, copy_elision},
      {"interior", "old = u.copy(); the sweep; ((u - old)**2).sum()", 4, {}, interior},
      {"interior_apart", "the same in passes of their own", 4, {"interior"}, interior},
      {"waits_for_its_readers",
       "u[inner] *= 0.3; (4 * u[inner] - u[up]).sum()",
       3,
       {},
       waits_for_its_readers},
      {"overwritten",
       "u[1:-1,1:-1] = 3 * b[1:-1,1:-1]; 2 * u; np.concatenate([b[-1:], b[:-1]])",
       2,
       {},
       overwritten},
      {"sum", "a.sum()", 3, {}, sum_all},
      {"sum_axis_0", "a.sum(axis=0)", 3, {}, sum_axis<0>},
      {"sum_axis_1", "a.sum(axis=1)", 3, {}, sum_axis<1>},
      {"two_folds", "twice = 2 * a; twice.sum(); a.max()", 3, {}, two_folds},
      {"variance_of_columns", "(2 * a).var(axis=0) * len(a)", 3, {}, variance_of_columns},
      {"nearest", "d = ((points[:, None] - centres) ** 2).sum(axis=2); d.argmin(axis=1)", 3, {}, nearest},
      {"matmul", "a @ b", 4, {}, matmul},
      {"sort", "np.sort(a)", 3, {}, sort},
      {"argsort", "np.argsort(a)", 3, {}, argsort},
      {"take", "a[i]", 3, {}, take},
      {"put", "a[i] = b", 3, {}, put},
      {"scan", "a.cumsum()", 3, {}, scan},
      {"fft", "np.fft.fft(a, axis=0)", 4, {}, fft},
      {"redistribute", "np.redistribute(a, ...), cut by columns at 100 and 400", 3, {}, redistribute},
      {"mask", "a[np.flatnonzero(flags)]", 3, {}, mask},
      {"select", "a[flags] += 1", 3, {}, select},
      {"rows_by_flags", "a[flags] += 1; a[flags] = 0, rows", 3, {}, rows_by_flags},
      {"weighted_count", "np.bincount(i, weights)", 3, {}, weighted_count},
      {"diagonal", "diagonal of m, doubled in place", 4, {}, diagonal},
      {"windows", "2 * sliding_window_view(a, 3)", 4, {}, windows},
      {"pooling",
       "a.reshape(n // 2, 2, n // 2, 2).sum(axis=(1, 3)), three ranks: 700 rows are cut between pairs",
       3,
       {},
       pooling},
      {"unit_axes",
       "3 * a[:, None, :].sum(axis=1), its sum(axis=0); a.reshape(n, 1, n // 2, 2).sum(axis=(0, 1, 2))",
       3,
       {},
       unit_axes},
      {"rows_searched", "d = np.sqrt(a); d.argmin(axis=1), np.sqrt(d).argmax(axis=1)", 3, {}, rows_searched},
      {"computed_twice", "line = 3 * a; line / (line * line).sum()", 3, {}, computed_twice},
      {"relayout", "square = a.reshape(n, n); square[:-1] - square[1:]", 4, {}, relayout},
  };
  return all;
}

}  // namespace gamelan::tests
