// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/scale/programs.hpp"

#include <cmath>

namespace gamelan::tests {
namespace {

using engine::plan::BatchWriter;
using engine::plan::number;
using engine::plan::part;
using protocol::Dtype;
using protocol::Op;
using protocol::Shape;
using protocol::View;

std::int64_t elements(const BatchWriter& r) { return per_rank * r.options().ranks; }
/// Of a cube of `dims` dimensions.
std::int64_t side(const BatchWriter& r, int dims) {
  return static_cast<std::int64_t>(std::pow(static_cast<double>(elements(r)), 1.0 / dims));
}
View matrix(BatchWriter& r) { return r.existing({side(r, 2), side(r, 2)}); }
View row(BatchWriter& r) { return r.existing({elements(r)}); }

View turned(View view) {
  std::swap(view.extents[0], view.extents[1]);
  std::swap(view.strides[0], view.strides[1]);
  return view;
}
/// A vector of a matrix's rows or columns, spread over all of it.
View spread(View vector, std::size_t axis, const Shape& extents) {
  const auto stride = vector.strides[0];
  vector.extents = extents;
  vector.strides.assign(extents.size(), 0);
  vector.strides[axis] = stride;
  return vector;
}
View slice(View view, std::size_t axis, std::int64_t first, std::int64_t last, std::int64_t step = 1) {
  view.offset += first * view.strides[axis];
  view.extents[axis] = (last - first + step - 1) / step;
  view.strides[axis] *= step;
  return view;
}
View reversed(View view) {
  view.offset += (view.extents[0] - 1) * view.strides[0];
  view.strides[0] = -view.strides[0];
  return view;
}
View index_of(BatchWriter& r) { return r.existing({elements(r)}, Dtype::int64); }

void laplace(BatchWriter& r) {
  const View u = matrix(r);
  const auto n = u.extents[0];
  const View old = r.compute(Op::copy, {u});
  record_jacobi(r, u, n);
  const View change = r.compute(Op::subtract, {u, old});
  r.sum(r.compute(Op::multiply, {change, change}));
}
void stencil_3d(BatchWriter& r) {
  const auto n = side(r, 3);
  const View u = r.existing({n, n, n});
  const auto shifted = [&](std::size_t axis, std::int64_t by) {
    View view = u;
    for (std::size_t k = 0; k < 3; ++k)
      view = slice(view, k, 1 + (k == axis ? by : 0), n - 1 + (k == axis ? by : 0));
    return view;
  };
  View sum = r.compute(Op::add, {shifted(0, -1), shifted(0, 1)});
  for (const std::size_t axis : {1U, 2U})
    for (const std::int64_t by : {-1, 1}) sum = r.compute(Op::add, {sum, shifted(axis, by)});
  r.assign(shifted(3, 0), sum);
}
void stream(BatchWriter& r) {
  const View a = row(r), b = row(r);
  r.compute(Op::add, {a, r.compute(Op::multiply, {b, number(3)})}, false);
}
void shifts(BatchWriter& r) {
  const View a = row(r);
  r.compute(Op::subtract, {slice(a, 0, 1, a.extents[0]), slice(a, 0, 0, a.extents[0] - 1)}, false);
}
void steps(BatchWriter& r) {
  const View a = row(r);
  const auto n = a.extents[0] / 2 * 2;
  r.compute(Op::add, {slice(a, 0, 0, n, 2), slice(a, 0, 1, n, 2)}, false);
}
void reverse(BatchWriter& r) {
  const View a = row(r);
  r.compute(Op::subtract, {a, reversed(a)}, false);
}
void broadcast(BatchWriter& r) {
  const View m = matrix(r);
  const View rows = r.existing({m.extents[0]}), columns = r.existing({m.extents[1]});
  r.compute(Op::add,
            {r.compute(Op::multiply, {m, spread(rows, 1, m.extents)}), spread(columns, 0, m.extents)}, false);
}
void outer(BatchWriter& r) {
  const auto n = side(r, 2);
  const View a = r.existing({n}), b = r.existing({n});
  r.compute(Op::multiply, {spread(a, 0, {n, n}), spread(b, 1, {n, n})}, false);
}
void transpose(BatchWriter& r) {
  const View a = matrix(r), b = matrix(r);
  r.assign(a, turned(b));
}
void sum(BatchWriter& r) { r.sum(matrix(r)); }
void sum_row(BatchWriter& r) { r.sum(row(r)); }
template <int axis>
void sum_axis(BatchWriter& r) {
  const View m = matrix(r);
  r.call(Op::sum, {m.extents[1 - axis]}, Dtype::float64, {m}, {axis});
}
void matmul(BatchWriter& r) {
  const auto n = side(r, 2);
  r.call(Op::matmul, {n, n}, Dtype::float64, {matrix(r), matrix(r)});
}
void take(BatchWriter& r) { r.call(Op::take, {elements(r)}, Dtype::float64, {row(r), index_of(r)}, {0}); }
void take_rows(BatchWriter& r) {
  const View m = matrix(r);
  r.call(Op::take, m.extents, Dtype::float64, {m, r.existing({m.extents[0]}, Dtype::int64)}, {0});
}
void put(BatchWriter& r) { r.put(row(r), index_of(r), row(r)); }
void put_rows(BatchWriter& r) {
  const View m = matrix(r);
  r.put(m, r.existing({m.extents[0]}, Dtype::int64), matrix(r));
}
void scan(BatchWriter& r) {
  r.call(Op::accumulate, {elements(r)}, Dtype::float64, {row(r)}, {0, static_cast<std::int64_t>(Op::add)});
}
template <int axis>
void scan_axis(BatchWriter& r) {
  const View m = matrix(r);
  r.call(Op::accumulate, m.extents, Dtype::float64, {m}, {axis, static_cast<std::int64_t>(Op::add)});
}
void sort(BatchWriter& r) { r.call(Op::sort, {elements(r)}, Dtype::float64, {row(r)}, {0}); }
void argsort(BatchWriter& r) { r.call(Op::argsort, {elements(r)}, Dtype::int64, {row(r)}, {0}); }
template <int axis>
void sort_axis(BatchWriter& r) {
  const View m = matrix(r);
  r.call(Op::sort, m.extents, Dtype::float64, {m}, {axis});
}
void histogram(BatchWriter& r) { r.call(Op::histogram, {1000}, Dtype::int64, {row(r), r.existing({1001})}); }
void bincount(BatchWriter& r) { r.call(Op::bincount, {100'000}, Dtype::int64, {index_of(r)}); }
template <int axis>
void transform_axis(BatchWriter& r) {
  const View m = matrix(r);
  r.call(Op::fourier, m.extents, Dtype::complex128, {m, number(1)}, {axis, 0, m.extents[axis], 0});
}
void draw(BatchWriter& r) { r.call(Op::draw, {elements(r)}, Dtype::float64, {row(r)}, {0, 1, 2}); }
void nonzero(BatchWriter& r) {
  r.call(Op::nonzero, {elements(r) / 2}, Dtype::int64, {r.existing({elements(r)}, Dtype::bool_)});
}
void weighted_bincount(BatchWriter& r) {
  r.call(Op::weighted_bincount, {1000}, Dtype::float64, {index_of(r), row(r)}, {1024});
}
void searchsorted(BatchWriter& r) {
  r.call(Op::searchsorted, {elements(r)}, Dtype::int64, {r.existing({1000}), row(r)}, {0});
}
void interpolate(BatchWriter& r) {
  r.call(Op::interpolate, {elements(r)}, Dtype::float64, {r.existing({1000}), r.existing({1000}), row(r)});
}
void diagonal(BatchWriter& r) {
  const View m = matrix(r);
  View view = m;
  view.extents = {m.extents[0]};
  view.strides = {m.strides[0] + m.strides[1]};
  r.compute(Op::multiply, {view, number(2)}, false);
}
template <int dims>
void cube(BatchWriter& r) {
  const Shape extents(dims, side(r, dims));
  const View a = r.call(Op::copy, extents, Dtype::float64, {number(1)});
  r.call(Op::sum, Shape(extents.begin() + 1, extents.end()), Dtype::float64, {a}, {0});
}

}  // namespace

const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"laplace", "GAiN's laplace.py: a 5-point stencil and its norm", laplace},
      {"stencil 3-D", "u[1:-1,1:-1,1:-1] = 6 neighbours", stencil_3d},
      {"stream", "a + 3 * b", stream},
      {"shift", "a[1:] - a[:-1]", shifts},
      {"step", "a[::2] + a[1::2]", steps},
      {"reverse", "a - a[::-1]", reverse},
      {"broadcast", "m * v + w[:, None]", broadcast, true},
      {"outer", "v[:, None] * w", outer, true},
      {"transpose", "a[...] = b.T", transpose, true},
      {"diagonal", "2 * m.diagonal()", diagonal},
      {"sum", "m.sum()", sum},
      {"sum 1-D", "a.sum()", sum_row},
      {"sum axis 0", "m.sum(axis=0)", sum_axis<0>},
      {"sum axis 1", "m.sum(axis=1)", sum_axis<1>},
      {"matmul", "m @ n", matmul},
      {"take", "a[i]", take},
      {"take rows", "m[i]", take_rows},
      {"put", "a[i] = b", put},
      {"put rows", "m[i] = n", put_rows},
      {"scan", "a.cumsum()", scan},
      {"scan axis 0", "m.cumsum(axis=0)", scan_axis<0>, true},
      {"scan axis 1", "m.cumsum(axis=1)", scan_axis<1>, true},
      {"sort", "np.sort(a)", sort},
      {"argsort", "np.argsort(a)", argsort},
      {"sort axis 0", "np.sort(m, axis=0)", sort_axis<0>, true},
      {"sort axis 1", "np.sort(m, axis=1)", sort_axis<1>, true},
      {"fft axis 0", "np.fft.fft(m, axis=0)", transform_axis<0>, true},
      {"fft axis 1", "np.fft.fft(m, axis=1)", transform_axis<1>, true},
      {"draw", "rng.exponential(a)", draw},
      {"histogram", "np.histogram(a, 1000)", histogram},
      {"bincount", "np.bincount(i)", bincount},
      {"nonzero", "np.flatnonzero(m)", nonzero},
      {"weighted bincount", "np.bincount(i, a)", weighted_bincount},
      {"searchsorted", "np.searchsorted(edges, a)", searchsorted},
      {"interpolate", "np.interp(a, x, y)", interpolate},
      {"4-D", "np.ones((n,) * 4).sum(axis=0)", cube<4>},
      {"8-D", "np.ones((n,) * 8).sum(axis=0)", cube<8>},
      {"12-D", "np.ones((n,) * 12).sum(axis=0)", cube<12>},
  };
  return all;
}

}  // namespace gamelan::tests
