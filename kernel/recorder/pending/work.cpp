// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/work.hpp"

#include <algorithm>
#include <bit>
#include <variant>

#include "protocol/linalg.hpp"

namespace gamelan::kernel {

using protocol::Command;
using protocol::Linalg;
using protocol::Op;
using protocol::View;

namespace {

constexpr std::int64_t pass = 4;  // over memory, for each element

/// True for a whole array that this batch has made, or a few elements repeated: reading them costs the
/// engines little.
bool is_at_hand(const View& view, protocol::ArrayId first_of_batch) {
  const bool is_repeated = std::find(view.strides.begin(), view.strides.end(), 0) != view.strides.end();
  return is_repeated || (view.base >= first_of_batch && view.offset == 0 && protocol::is_contiguous(view));
}

/// The most elements that the command reads from one operand or writes: a reduction reads more than it
/// writes.
std::int64_t elements_of(const Command& command) {
  std::int64_t elements = protocol::element_count(command.out.extents);
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand))
      elements = std::max(elements, protocol::element_count(view->extents));
  return elements;
}

const View* matrix_of(const Command& command) {
  const auto* view = command.in.empty() ? nullptr : std::get_if<View>(&command.in[0]);
  return view == nullptr || view->extents.empty() ? nullptr : view;
}

std::int64_t levels(std::int64_t length) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(length, 2)));
}

std::int64_t axis_length(const Command& command, const View& view) {
  const auto axis = command.ints.empty() ? -1 : command.ints[0];
  const auto dimensions = static_cast<std::int64_t>(view.extents.size());
  return axis >= 0 && axis < dimensions ? view.extents[static_cast<std::size_t>(axis)] : view.extents.back();
}

/// BLAS makes several products in the time of one operation on an element in cache. Whole numbers have no
/// BLAS.
std::int64_t product_work(const Command& command, std::int64_t depth) {
  const auto products = protocol::element_count(command.out.extents) * std::max<std::int64_t>(depth, 1);
  const char kind = protocol::info(command.loop).kind;
  return kind == 'f' ? products / 4 : products;
}

/// Multiplications that a routine makes for one n x n matrix, in units of n^3; iterations are slow ones.
std::int64_t cubes_of(std::int64_t routine) {
  switch (static_cast<Linalg>(routine)) {
    case Linalg::solve:
    case Linalg::slogdet:
    case Linalg::cholesky:
    case Linalg::qr_factors:
      return 1;
    case Linalg::inverse:
    case Linalg::qr:
      return 3;
    case Linalg::eigh_values:
    case Linalg::svd_values:
    case Linalg::least_squares:
      return 6;
    case Linalg::eigh:
    case Linalg::svd:
    case Linalg::eig_values:
      return 20;
    case Linalg::eig:
      return 50;
  }
  return 1;
}

std::int64_t linalg_work(const Command& command, const View& a) {
  const auto& extents = a.extents;
  if (extents.size() < 2 || command.ints.empty()) return elements_of(command) * pass;
  const auto m = extents[extents.size() - 2], n = extents.back();
  return protocol::element_count(extents) * std::min(m, n) / 2 * cubes_of(command.ints[0]);
}

/// Of a command that is no pass over memory: for each element this many operations in cache.
std::int64_t single_work(const Command& command) {
  const View* first = matrix_of(command);
  const std::int64_t elements = elements_of(command);
  switch (command.op) {
    case Op::matmul:
      return first == nullptr ? elements * pass : product_work(command, first->extents.back());
    case Op::linalg:
      return first == nullptr ? elements * pass : linalg_work(command, *first);
    case Op::sort:
      return first == nullptr ? elements * pass : elements * 8 * levels(axis_length(command, *first));
    case Op::argsort:
      return first == nullptr ? elements * pass : elements * 16 * levels(axis_length(command, *first));
    case Op::fourier:
      return first == nullptr ? elements * pass
                              : elements * (pass + 2 * levels(axis_length(command, *first)));
    case Op::searchsorted:
    case Op::interpolate:
      return elements * 4 * levels(first == nullptr ? 2 : first->extents.back());
    default:
      break;
  }
  if (protocol::is_of_file(command.op)) return elements * 24;
  return protocol::is_irregular(command.op) ? elements * 16 : elements * pass;
}

}  // namespace

void touch(TouchedArrays& touched, const Command& command) {
  touched.insert(command.out.base);
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) touched.insert(view->base);
}

bool is_single(Op op) { return protocol::info(op).kind == protocol::RowKind::call; }

bool is_simple(const Command& command) {
  return command.creates && command.payload < 0 && !is_single(command.op) &&
         protocol::info(command.op).kind != protocol::RowKind::nullary;
}

std::int64_t work_of(const Command& command, protocol::ArrayId first_of_batch, const TouchedArrays& touched) {
  if (is_single(command.op)) return single_work(command);
  const std::int64_t elements = elements_of(command);
  const bool is_cheap = protocol::is_elementwise(command.op) &&
                        (protocol::info(command.op).traits & protocol::transcendental) == 0;
  const auto is_known = [&](const auto& operand) {
    const auto* view = std::get_if<View>(&operand);
    return view == nullptr || touched.contains(view->base) || is_at_hand(*view, first_of_batch);
  };
  constexpr std::int64_t again = 3;
  if (is_cheap && (command.creates || touched.contains(command.out.base)) &&
      std::all_of(command.in.begin(), command.in.end(), is_known))
    return elements / again;
  const bool is_light = command.creates && is_cheap &&
                        std::all_of(command.in.begin(), command.in.end(), [&](const auto& operand) {
                          const auto* view = std::get_if<View>(&operand);
                          return view == nullptr || is_at_hand(*view, first_of_batch);
                        });
  return is_light ? elements : elements * pass;
}

}  // namespace gamelan::kernel
