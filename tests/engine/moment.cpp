// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/moment.hpp"

#include <algorithm>
#include <cstring>

namespace gamelan::testing {
namespace {

using protocol::Dtype;
using protocol::Op;
using protocol::View;
using Values = std::vector<std::int64_t>;

/// Where a view's elements are in its base, in C order.
std::vector<std::size_t> positions(const View& view) {
  std::vector<std::int64_t> result{view.offset / 8};
  for (std::size_t k = 0; k < view.extents.size(); ++k) {
    std::vector<std::int64_t> next;
    for (const auto from : result)
      for (std::int64_t i = 0; i < view.extents[k]; ++i) next.push_back(from + i * view.strides[k] / 8);
    result = std::move(next);
  }
  return {result.begin(), result.end()};
}

std::int64_t wrapped(Op op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(op == Op::add ? x + y : op == Op::subtract ? x - y : x * y);
}

}  // namespace

void Moment::run(const protocol::Batch& batch, const protocol::Command& command) {
  const auto& to = command.out;
  const auto count = static_cast<std::size_t>(protocol::element_count(to.extents));
  std::vector<Values> in;
  for (const auto& operand : command.in) {
    if (const auto* view = std::get_if<View>(&operand)) {
      Values& values = in.emplace_back();
      for (const auto position : positions(*view)) values.push_back(arrays.at(view->base)[position]);
    } else {
      std::int64_t value = 0;
      std::memcpy(&value, std::get<protocol::Scalar>(operand).bytes.data(), sizeof value);
      in.emplace_back(count, value);
    }
  }
  Values out(count);
  const auto row =
      to.extents.empty() || to.extents[0] == 0 ? 1 : count / static_cast<std::size_t>(to.extents[0]);
  const auto* source = command.in.empty() ? nullptr : std::get_if<View>(&command.in[0]);
  switch (command.op) {
    case Op::constant: {
      const auto& payload = batch.payloads.at(static_cast<std::size_t>(command.payload));
      std::memcpy(out.data(), payload.data(), payload.size());
      break;
    }
    case Op::copy:
      out = in[0];
      break;
    case Op::sum: {  // over the axes of `ints`: walk the operand beside a view of the result with strides of
                     // 0
      View beside = protocol::whole(1, Dtype::int64, to.extents);
      for (const auto axis : command.ints) beside.strides.insert(beside.strides.begin() + axis, 0);
      beside.extents = source->extents;
      const auto places = positions(beside);
      for (std::size_t i = 0; i < places.size(); ++i)
        out[places[i]] = wrapped(Op::add, out[places[i]], in[0][i]);
      break;
    }
    case Op::take:
      for (std::size_t i = 0; i < in[1].size(); ++i)
        std::copy_n(in[0].begin() + in[1][i] * static_cast<std::int64_t>(row), row,
                    out.begin() + static_cast<std::ptrdiff_t>(i * row));
      break;
    case Op::put: {
      const auto places = positions(to);
      for (std::size_t i = 0; i < places.size(); ++i) out[i] = arrays.at(to.base)[places[i]];
      for (std::size_t i = 0; i < in[0].size() * row; ++i)
        out[static_cast<std::size_t>(in[0][i / row]) * row + i % row] = in[1][in[1].size() == count ? 0 : i];
      break;
    }
    case Op::accumulate:
      for (std::size_t i = 0; i < count; ++i)
        out[i] = i < row ? in[0][i] : wrapped(Op::add, out[i - row], in[0][i]);
      break;
    default:
      for (std::size_t i = 0; i < count; ++i) out[i] = wrapped(command.op, in[0][i], in[1][i]);
  }
  auto& base = arrays[to.base];
  if (command.creates) base.resize(count);
  const auto places = positions(to);
  for (std::size_t i = 0; i < count; ++i) base[places[i]] = out[i];
}

}  // namespace gamelan::testing
