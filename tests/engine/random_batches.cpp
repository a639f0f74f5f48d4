// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/random_batches.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace gamelan::testing {
namespace {

using Values = std::vector<std::int64_t>;

const std::vector<Shape> shapes{{24, 18}, {24, 18}, {24, 18}, {12, 12}, {40}, {40}};
constexpr int large_turns = 5;

protocol::Scalar number(std::int64_t value) {
  protocol::Scalar scalar;
  scalar.dtype = Dtype::int64;
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

/// The view without its first `low` and last `high` indices along an axis.
View trim(View view, std::size_t axis, std::int64_t low, std::int64_t high) {
  view.offset += low * view.strides[axis];
  view.extents[axis] -= low + high;
  return view;
}

View reversed(View view, std::size_t axis) {
  view.offset += (view.extents[axis] - 1) * view.strides[axis];
  view.strides[axis] = -view.strides[axis];
  return view;
}

}  // namespace

View RandomBatches::make(Op op, std::vector<protocol::Operand> in, std::vector<std::int64_t> ints,
                         const Shape* extents) {
  Command command;
  command.op = op;
  command.loop = Dtype::int64;
  const ArrayId id = ++last_;
  extents_[id] = extents ? *extents : std::get<View>(in.at(0)).extents;
  command.out = whole(id);
  command.creates = true;
  command.in = std::move(in);
  command.ints = std::move(ints);
  batch_.commands.push_back(std::move(command));
  return whole(id);
}

void RandomBatches::write(Op op, const View& out, std::vector<protocol::Operand> in) {
  Command command;
  command.op = op;
  command.loop = Dtype::int64;
  command.out = out;
  command.in = std::move(in);
  batch_.commands.push_back(std::move(command));
}

/// An array of the same shape, perhaps the same.
View RandomBatches::like(const View& view, Choices& choose) {
  std::vector<ArrayId> same;
  std::copy_if(arrays_.begin(), arrays_.end(), std::back_inserter(same),
               [&](ArrayId id) { return extents_.at(id) == view.extents; });
  return whole(choose.pick(same));
}

View RandomBatches::grid(Choices& choose) {
  const View view = any(choose);
  return view.extents.size() == 2 ? view : whole(arrays_[0]);
}

/// What the name stood for in the last turn is given away.
void RandomBatches::keep(Place place, const View& view) {
  auto& id = results_[place];
  if (id != 0) frees_.push_back(id);
  id = view.base;
}

void RandomBatches::keep_or_drop(Place place, const View& view, Choices& choose) {
  choose.chance(50) ? keep(place, view) : drop(view);
}

void RandomBatches::line(int n, Choices choose) {
  const View a = any(choose), b = like(a, choose);
  const auto axis = static_cast<std::size_t>(choose.below(static_cast<int>(a.extents.size())));
  const auto inner = [&](const View& view) { return trim(view, axis, 1, 1); };
  const auto shifted = [&](const View& view) {
    return choose.chance(50) ? trim(view, axis, 0, 2) : trim(view, axis, 2, 0);
  };
  const auto stencil = [&](const View& to, int temporary) {
    const View sum = make(Op::add, {shifted(b), inner(like(a, choose))});
    const View value = make(binary(choose), {sum, number(3)});
    drop(sum);
    write(Op::copy, inner(to), {value});
    keep_or_drop({n, temporary}, value, choose);
  };
  switch (choose.below(14)) {
    case 0:
    case 1:
      return write(binary(choose), a,
                   {a, choose.chance(50) ? protocol::Operand(b) : protocol::Operand(number(5))});
    case 2:
    case 3:
      return stencil(a, 0);
    case 4: {
      const View old = make(Op::copy, {a});
      stencil(a, 0);
      const View change = make(Op::subtract, {a, old});
      keep_or_drop({n, 1}, old, choose);
      std::vector<std::int64_t> axes(a.extents.size());
      std::iota(axes.begin(), axes.end(), 0);
      const Shape none;
      keep_or_drop({n, 2}, make(Op::sum, {change}, axes, &none), choose);
      return keep_or_drop({n, 3}, change, choose);
    }
    case 5:
      return keep({n, 0}, make(Op::copy, {a}));
    case 6: {
      const View sum = make(Op::add, {a, b});
      keep({n, 0}, make(Op::multiply, {sum, number(7)}));
      return keep_or_drop({n, 1}, sum, choose);
    }
    case 7: {  // a sum along an axis, and perhaps its use all along that axis
      Shape kept = a.extents;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(axis));
      const View sum = make(Op::sum, {a}, {static_cast<std::int64_t>(axis)}, &kept);
      View wide = sum;
      wide.strides.insert(wide.strides.begin() + static_cast<std::ptrdiff_t>(axis), 0);
      wide.extents = a.extents;
      if (choose.chance(60)) write(Op::subtract, b, {b, wide});
      return keep_or_drop({n, 0}, sum, choose);
    }
    case 8: {
      const auto first = choose.below(static_cast<int>(a.extents[axis]) - 2);
      const View rows = trim(a, axis, first, choose.below(static_cast<int>(a.extents[axis]) - first));
      return write(binary(choose), rows, {rows, number(9)});
    }
    case 9:
      return write(Op::copy, a, {reversed(b, axis)});
    case 10: {  // a diagonal is no box of its base
      View diagonal = grid(choose);
      diagonal.strides = {diagonal.strides[0] + diagonal.strides[1]};
      diagonal.extents = {std::min(diagonal.extents[0], diagonal.extents[1])};
      return write(Op::add, diagonal, {diagonal, number(11)});
    }
    case 11: {
      Shape taken = a.extents;
      taken[0] = extents_.at(index_)[0];
      const View rows = make(Op::take, {a, whole(index_)}, {0}, &taken);
      choose.chance(70) ? write(Op::put, b, {whole(index_), rows})
                        : write(Op::put, b, {whole(index_), number(13)});
      return keep_or_drop({n, 0}, rows, choose);
    }
    case 12: {
      const View sums = make(Op::accumulate, {a}, {0, static_cast<std::int64_t>(Op::add)});
      write(Op::add, sums, {sums, b});
      return keep_or_drop({n, 0}, sums, choose);
    }
    default: {  // x = x + y
      const View sum = make(Op::add, {a, b});
      drop(a);
      std::replace(arrays_.begin(), arrays_.end(), a.base, sum.base);
    }
  }
}

Batch RandomBatches::loop() {
  const int lines = 1 + choose_.below(6), turns = 1 + choose_.below(large_turns);
  std::vector<Choices> same_each_turn;
  for (int n = 0; n < lines; ++n) same_each_turn.emplace_back(static_cast<unsigned>(choose_.below(1 << 30)));
  for (int turn = 0; turn < turns; ++turn)
    for (int n = 0; n < lines; ++n) line(n, same_each_turn[static_cast<std::size_t>(n)]);
  return take();
}

Batch RandomBatches::create() {
  const auto constant = [&](const Shape& extents, int low, int high) {
    Values values(static_cast<std::size_t>(protocol::element_count(extents)));
    for (auto& value : values) value = low + choose_.below(high - low);
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    batch_.payloads.emplace_back(bytes, bytes + values.size() * sizeof(std::int64_t));
    const View view = make(Op::constant, {}, {}, &extents);
    batch_.commands.back().payload = static_cast<std::int32_t>(batch_.payloads.size()) - 1;
    return view.base;
  };
  if (index_ == 0) index_ = constant({9}, 0, 12);
  arrays_.resize(shapes.size());
  for (std::size_t k = 0; k < shapes.size(); ++k)
    if (arrays_[k] == 0) arrays_[k] = constant(shapes[k], -50, 50);
  return take();
}

Batch RandomBatches::take() {
  batch_.frees = std::exchange(frees_, {});
  return std::exchange(batch_, {});
}

void RandomBatches::lose(ArrayId id) {
  frees_.push_back(id);
  std::replace(arrays_.begin(), arrays_.end(), id, ArrayId{0});
  std::erase_if(results_, [&](const auto& entry) { return entry.second == id; });
}

std::vector<ArrayId> RandomBatches::named() const {
  std::vector<ArrayId> ids{index_};
  ids.insert(ids.end(), arrays_.begin(), arrays_.end());
  for (const auto& [place, id] : results_) ids.push_back(id);
  return ids;
}

Batch RandomBatches::end() {
  frees_ = named();
  return take();
}

}  // namespace gamelan::testing
