// SPDX-License-Identifier: BSD-3-Clause
// What the irregular rows demand of a command: CALLs whose elements go to places that only data say. Data are
// not looked at: the kernel finds an index out of range, and the engine keeps every index inside its array
// anyway.
#include <algorithm>
#include <string>

#include "protocol/check.hpp"
#include "protocol/distributions.hpp"
#include "protocol/fourier.hpp"
#include "protocol/linalg.hpp"

namespace gamelan::protocol {
namespace {

void require(bool condition, const Command& command, const char* what) {
  if (!condition) throw Error(ErrorKind::protocol, "[" + std::string(info(command.op).name) + "] " + what);
}

const View& view_operand(const Command& command, std::size_t index) {
  const View* view = std::get_if<View>(&command.in[index]);
  require(view != nullptr, command, "got a scalar, expected an array operand");
  return *view;
}

constexpr std::int64_t most_segments = 4096;  // of a weighted_bincount: each has a table of sums

bool is_integer(Dtype dtype) { return info(dtype).kind == 'i' || info(dtype).kind == 'u'; }

std::size_t axis_of(const Command& command, std::size_t dims) {
  require(!command.ints.empty() && command.ints[0] >= 0 && command.ints[0] < static_cast<std::int64_t>(dims),
          command, "axis out of range");
  return static_cast<std::size_t>(command.ints[0]);
}

void check_index(const Command& command, const View& index) {
  require(index.extents.size() == 1 && is_integer(index.dtype), command,
          "the index is not a row of integers");
}

void check_take(const Command& command) {
  require(command.in.size() == 2 && command.ints.size() == 1 && command.creates, command,
          "expected two arrays, an axis and a new result");
  const View& source = view_operand(command, 0);
  const View& index = view_operand(command, 1);
  check_index(command, index);
  const std::size_t axis = axis_of(command, source.extents.size());
  Shape extents = source.extents;
  extents[axis] = index.extents[0];
  require(extents == command.out.extents && source.dtype == command.out.dtype, command,
          "the result differs from the source in more than the extent of the axis");
  require(source.extents[axis] > 0 || element_count(extents) == 0, command, "there is nothing to take from");
}

const OpInfo& op_of(const Command& command, std::int64_t number) {
  require(number >= 0 && number < op_count(), command, "no such op");
  return info(static_cast<Op>(number));
}

/// True when the result has the dtype of the operands.
bool is_closed(const OpInfo& row, Dtype dtype) {
  return row.result == Result::same || dtype == Dtype::bool_ ||
         (row.result == Result::real_of && info(dtype).kind != 'c');
}

void check_number(const Command& command) {
  require(std::get<Scalar>(command.in[1]).dtype == command.out.dtype, command,
          "the number is not of the target's dtype");
}

/// True for rows like those of the other view, and at most as many.
bool are_some_rows(const View& rows, const View& of) {
  return rows.dtype == of.dtype && rows.extents.size() == of.extents.size() &&
         rows.extents[0] <= of.extents[0] &&
         std::equal(rows.extents.begin() + 1, rows.extents.end(), of.extents.begin() + 1);
}

void check_put_at_flags(const Command& command, const View& flags) {
  require(command.ints.empty() && flags.extents == Shape{command.out.extents[0]}, command,
          "expected a row of bools, one for each row of the target");
  const View* values = std::get_if<View>(&command.in[1]);
  if (values == nullptr) return check_number(command);
  require(are_some_rows(*values, command.out), command,
          "values are not of the rows of the target, or more than it has");
}

void check_put(const Command& command) {
  require(
      command.in.size() == 2 && command.ints.size() <= 1 && !command.creates && !command.out.extents.empty(),
      command, "expected an index and values for an existing array");
  if (!command.ints.empty()) {
    const OpInfo& row = op_of(command, command.ints[0]);
    require((row.kind == RowKind::unary || row.kind == RowKind::binary) &&
                admits(row.types, command.out.dtype) && is_closed(row, command.out.dtype),
            command, "the op does not stay in this dtype");
  }
  const View& index = view_operand(command, 0);
  if (index.dtype == Dtype::bool_) return check_put_at_flags(command, index);
  check_index(command, index);
  if (const View* values = std::get_if<View>(&command.in[1])) {
    Shape extents = command.out.extents;
    extents[0] = index.extents[0];
    require(values->extents == extents && values->dtype == command.out.dtype, command,
            "values are not of the rows of the target");
  } else {
    check_number(command);
  }
  require(command.out.extents[0] > 0 || index.extents[0] == 0, command, "there is nothing to write to");
}

void check_nonzero(const Command& command) {
  require((command.in.size() == 1 || command.in.size() == 2) && command.ints.empty() && command.creates,
          command, "expected flags, at most one array beside them, and a new result");
  const View& flags = view_operand(command, 0);
  require(flags.extents.size() == 1 && flags.dtype == Dtype::bool_, command, "expected a row of bools");
  View rows = flags;
  rows.dtype = Dtype::int64;
  if (command.in.size() == 2) {
    rows = view_operand(command, 1);
    require(!rows.extents.empty() && rows.extents[0] == flags.extents[0], command,
            "there is not one row for each flag");
  }
  require(are_some_rows(command.out, rows), command, "the result has no positions, or no such rows");
}

void check_accumulate(const Command& command) {
  require(command.in.size() == 1 && command.ints.size() == 2 && command.creates, command,
          "expected an array, an axis, an op and a new result");
  const View& in = view_operand(command, 0);
  axis_of(command, in.extents.size());
  require(in.extents == command.out.extents && command.out.dtype == command.loop, command,
          "the result has another shape or dtype");
  const OpInfo& row = op_of(command, command.ints[1]);
  const bool can_be_cut = (row.traits & associative) != 0;
  require(row.kind == RowKind::binary && (can_be_cut || in.extents.size() > 1) &&
              admits(row.types, command.loop) && is_closed(row, command.loop),
          command, "the op does not fold over this dtype");
}

void check_sort(const Command& command) {
  require(command.in.size() == 1 && !command.ints.empty() && command.creates, command,
          "expected an array, an axis, perhaps places, and a new result");
  const View& in = view_operand(command, 0);
  const auto length = in.extents[axis_of(command, in.extents.size())];
  require(command.ints.size() == 1 || in.extents.size() > 1, command, "only lines of several have places");
  for (std::size_t k = 1; k < command.ints.size(); ++k)
    require(
        command.ints[k] >= 0 && command.ints[k] < length && (k == 1 || command.ints[k] > command.ints[k - 1]),
        command, "places do not rise within the lines");
  require(in.extents == command.out.extents && in.dtype == command.loop, command,
          "the result has another shape than the array");
  require(command.out.dtype == (command.op == Op::sort ? in.dtype : Dtype::int64), command,
          "the result has a wrong dtype");
}

void check_count(const Command& command) {
  const bool is_histogram = command.op == Op::histogram;
  require(command.in.size() == (is_histogram ? 2U : 1U) && command.ints.empty() && command.creates, command,
          "expected an array and a new result");
  const View& in = view_operand(command, 0);
  require(info(in.dtype).kind != 'c' && (is_histogram || is_integer(in.dtype) || in.dtype == Dtype::bool_),
          command, "cannot count this dtype");
  require(command.out.extents.size() == 1 && command.out.dtype == Dtype::int64, command,
          "the result is not a row of int64");
  if (!is_histogram) return;
  const View& edges = view_operand(command, 1);
  require(edges.extents == Shape{command.out.extents[0] + 1} && edges.dtype == Dtype::float64, command,
          "edges are not one more than bins");
}

/// `period`: after the transform, element k is multiplied by exp(-+2 pi i k j / period), where j is its index
/// along the next axis. 0: there are no factors.
void check_fourier(const Command& command) {
  require(
      command.in.size() == 2 && command.ints.size() == 4 && command.creates && command.loop == Dtype::float64,
      command, "expected an array, a number, four ints and a new result");
  const View& in = view_operand(command, 0);
  const std::size_t axis = axis_of(command, in.extents.size());
  const auto* factor = std::get_if<Scalar>(&command.in[1]);
  require(factor != nullptr && factor->dtype == Dtype::float64, command, "the factor is no float64");
  const auto kind = command.ints[1], length = command.ints[2], period = command.ints[3];
  require(kind >= 0 && kind < fourier_kinds && length >= 1, command, "no such transform");
  const auto half = length / 2 + 1;
  Shape extents = in.extents;
  extents[axis] = kind == fourier_real_forward ? half : length;
  require(extents == command.out.extents, command, "the result has another shape than the transform");
  require(in.extents[axis] <= (kind == fourier_real_backward ? half : length), command,
          "lines are longer than the transform");
  require(element_count(extents) == 0 || in.extents[axis] > 0, command, "lines are empty");
  require(kind != fourier_real_forward || info(in.dtype).kind != 'c', command,
          "a real transform of complex numbers");
  require(command.out.dtype == (kind == fourier_real_backward ? Dtype::float64 : Dtype::complex128), command,
          "the result has a wrong dtype");
  require(period == 0 || (period > 0 && kind != fourier_real_backward && axis + 1 < extents.size() &&
                          period % length == 0 && period / length >= extents[axis + 1]),
          command, "the factors do not fit the axes");
}

void check_draw(const Command& command) {
  require(command.ints.size() == 3 && command.creates && command.loop == Dtype::float64, command,
          "expected three ints and a new result");
  require(command.ints[0] >= 0 && command.ints[0] < distribution_count(), command, "no such distribution");
  require(command.in.size() ==
              static_cast<std::size_t>(distribution(static_cast<int>(command.ints[0])).parameters),
          command, "wrong number of parameters");
  for (std::size_t k = 0; k < command.in.size(); ++k)
    if (const View* view = std::get_if<View>(&command.in[k]))
      require(view->extents == command.out.extents && info(view->dtype).kind != 'c', command,
              "a parameter is not real and broadcast to the result");
    else
      require(std::get<Scalar>(command.in[k]).dtype == Dtype::float64, command, "a parameter is no float64");
  require(info(command.out.dtype).kind == 'f' || command.out.dtype == Dtype::int64, command,
          "the result has a wrong dtype");
}

void check_linalg(const Command& command) {
  require(command.creates && command.ints.size() == 3 && command.ints[0] >= 0 &&
              command.ints[0] < linalg_routines,
          command, "expected a routine, the side of a block, a flag and a new result");
  const auto routine = static_cast<Linalg>(command.ints[0]);
  const bool is_least_squares = routine == Linalg::least_squares;
  require(command.in.size() == (is_least_squares     ? 3U
                                : has_right(routine) ? 2U
                                                     : 1U),
          command, "wrong number of operands");
  const Shape& a = view_operand(command, 0).extents;
  const Shape& out = command.out.extents;
  require(a.size() >= 2 && out.size() == a.size() && std::equal(a.begin(), a.end() - 2, out.begin()), command,
          "these are no stacks of matrices");
  require(element_count(a) > 0 && element_count(out) > 0, command, "there is nothing to compute");
  require(command.ints[1] >= 0 && command.ints[1] <= 4096 && (command.ints[1] == 0 || a.size() == 2), command,
          "only a single matrix lies in blocks");
  const auto m = a[a.size() - 2], n = a.back();
  const bool takes_any = routine == Linalg::qr || routine == Linalg::qr_factors || routine == Linalg::svd ||
                         routine == Linalg::svd_values || is_least_squares;
  require(m == n || takes_any, command, "the matrices are not square");
  std::int64_t right = 0;
  if (has_right(routine)) {
    const Shape& b = view_operand(command, 1).extents;
    require(b.size() == a.size() && std::equal(a.begin(), a.end() - 1, b.begin()), command,
            "the right-hand sides do not fit");
    right = b.back();
  }
  if (is_least_squares) {
    require(a.size() == 2, command, "least squares take a single matrix");
    const auto* rcond = std::get_if<Scalar>(&command.in[2]);
    require(rcond != nullptr && rcond->dtype == command.loop, command, "rcond is no number of the loop");
  }
  require(command.loop == Dtype::float64 || command.loop == Dtype::complex128, command,
          "no routine for this dtype");
  const bool is_of_eig = routine == Linalg::eig || routine == Linalg::eig_values;
  require(command.out.dtype == (is_of_eig ? Dtype::complex128 : command.loop), command,
          "the result has a wrong dtype");
  const auto expected = extents_of_results(routine, m, n, right, out.back());
  require(out[out.size() - 2] == expected.rows && out.back() == expected.columns, command,
          "the result has wrong extents");
}

void check_weighted_bincount(const Command& command) {
  require(command.in.size() == 2 && command.ints.size() == 1 && command.creates, command,
          "expected numbers, weights, segments and a new result");
  const View& numbers = view_operand(command, 0);
  const View& weights = view_operand(command, 1);
  require(numbers.extents.size() == 1 && (is_integer(numbers.dtype) || numbers.dtype == Dtype::bool_),
          command, "the numbers are not a row of integers");
  require(weights.extents == numbers.extents && info(weights.dtype).kind != 'c', command,
          "there is not one real weight for each number");
  require(command.out.extents.size() == 1 && command.out.dtype == Dtype::float64, command,
          "the result is not a row of float64");
  require(command.ints[0] > 0 && command.ints[0] <= most_segments, command,
          "so many segments are not allowed");
}

void check_searchsorted(const Command& command) {
  require(command.in.size() == 2 && command.ints.size() == 1 && command.creates, command,
          "expected two rows, a side and a new result");
  const View& table = view_operand(command, 0);
  const View& values = view_operand(command, 1);
  require(table.extents.size() == 1 && values.extents.size() == 1, command, "expected rows");
  require(command.out.extents == values.extents && command.out.dtype == Dtype::int64, command,
          "the result is not one int64 for each value");
  require(command.ints[0] == 0 || command.ints[0] == 1, command, "no such side");
}

void check_interpolate(const Command& command) {
  require(command.in.size() == 3 && command.ints.empty() && command.creates, command,
          "expected three rows and a new result");
  for (std::size_t k = 0; k < command.in.size(); ++k) {
    const View& row = view_operand(command, k);
    require(row.extents.size() == 1 && info(row.dtype).kind != 'c', command, "expected rows of real numbers");
  }
  const auto& points = view_operand(command, 0).extents;
  require(points == view_operand(command, 1).extents && points[0] > 1, command,
          "a line goes through two points");
  require(command.out.extents == view_operand(command, 2).extents && command.out.dtype == Dtype::float64,
          command, "the result is not one float64 for each value");
}

/// How many parts of `length` so many elements are; numbers from outside must not overflow.
std::int64_t parts_of(std::int64_t elements, std::int64_t length) {
  return elements / length + (elements % length != 0 ? 1 : 0);
}

void check_argmax(const Command& command) {
  require(command.in.size() == 1 && !command.ints.empty() && command.ints.size() <= 2 && command.creates,
          command, "expected an array, an axis and a new result");
  const View& in = view_operand(command, 0);
  Shape extents = in.extents;
  const auto axis = axis_of(command, extents.size());
  require(extents[axis] > 0 && info(in.dtype).kind != 'c', command, "there is nothing to compare");
  const auto piece = command.ints.size() == 2 ? command.ints[1] : extents[axis];
  require(piece > 0 && (piece == extents[axis] || extents.size() == 1), command, "only a row has pieces");
  extents[axis] = parts_of(extents[axis], piece);
  require(extents == command.out.extents && command.out.dtype == Dtype::int64, command,
          "the result is not one int64 for each line");
}

void check_bits(const Command& command) {
  require(command.in.size() == 1 && command.ints.size() == 1 && command.creates, command,
          "expected a row, an order and a new result");
  const View& in = view_operand(command, 0);
  require(in.extents.size() == 1 && command.out.extents.size() == 1 && command.out.dtype == Dtype::uint8 &&
              (command.ints[0] == 0 || command.ints[0] == 1),
          command, "expected rows of bytes");
  const bool packs = command.op == Op::packbits;
  require(packs ? is_integer(in.dtype) || in.dtype == Dtype::bool_ : in.dtype == Dtype::uint8, command,
          "these are no bits");
  require(packs ? command.out.extents[0] == parts_of(in.extents[0], 8)
                : parts_of(command.out.extents[0], 8) <= in.extents[0],
          command, "the result has another extent");
}

void check_reduceat(const Command& command) {
  require(command.in.size() == 2 && command.ints.size() == 1 && command.creates, command,
          "expected two rows, an op and a new result");
  const View& in = view_operand(command, 0);
  const View& starts = view_operand(command, 1);
  check_index(command, starts);
  require(in.extents.size() == 1 && in.extents[0] > 0 && command.out.extents == starts.extents &&
              command.out.dtype == command.loop,
          command, "the result is not one element for each start");
  const OpInfo& row = op_of(command, command.ints[0]);
  require(row.kind == RowKind::binary && (row.traits & associative) != 0 && admits(row.types, command.loop) &&
              is_closed(row, command.loop),
          command, "the op does not fold over this dtype");
}

}  // namespace

void check_irregular(const Command& command) {
  if (command.op == Op::take) return check_take(command);
  if (command.op == Op::put) return check_put(command);
  if (command.op == Op::nonzero) return check_nonzero(command);
  if (command.op == Op::accumulate) return check_accumulate(command);
  if (command.op == Op::sort || command.op == Op::argsort) return check_sort(command);
  if (command.op == Op::bincount || command.op == Op::histogram) return check_count(command);
  if (command.op == Op::fourier) return check_fourier(command);
  if (command.op == Op::draw) return check_draw(command);
  if (command.op == Op::linalg) return check_linalg(command);
  if (command.op == Op::weighted_bincount) return check_weighted_bincount(command);
  if (command.op == Op::searchsorted) return check_searchsorted(command);
  if (command.op == Op::interpolate) return check_interpolate(command);
  if (command.op == Op::argmax || command.op == Op::argmin) return check_argmax(command);
  if (command.op == Op::packbits || command.op == Op::unpackbits) return check_bits(command);
  if (command.op == Op::reduceat) return check_reduceat(command);
  require(false, command, "this op has no rule in check_irregular.cpp");
}

}  // namespace gamelan::protocol
