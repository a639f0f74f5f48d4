// SPDX-License-Identifier: BSD-3-Clause
// Which elements of a dead temporary are computed: those that are read, where nobody would miss the others.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/context.hpp"
#include "engine/plan/passes/passes.hpp"
#include "tests/engine/batch_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t n = 120, m = 90;

/// The pass by itself: the extents of what each command makes afterwards, and the views that it reads.
class Narrowed {
 public:
  explicit Narrowed(const BatchWriter& writer) {
    const auto& batch = writer.batch();
    const auto catalog = writer.catalog();
    context_.options = writer.options();
    context_.watched = batch.watched;
    context_.fetches = batch.fetches;
    context_.dead.insert(batch.frees.begin(), batch.frees.end());
    for (const auto& command : batch.commands) {
      for (const auto& operand : command.in)
        if (const auto* view = std::get_if<View>(&operand))
          if (const auto* known = catalog(view->base)) context_.arrays.emplace(view->base, *known);
      if (command.creates) {
        context_.arrays[command.out.base] = {command.out.extents, command.out.dtype, {}};
        context_.created.insert(command.out.base);
      }
      auto kind = Node::Kind::elementwise;
      if (protocol::info(command.op).kind == protocol::RowKind::reduce) kind = Node::Kind::reduce;
      context_.nodes.push_back({kind, command});
    }
    narrow(context_);
  }
  const Shape& made(std::size_t command) const { return context_.nodes[command].command.out.extents; }
  const View& read(std::size_t command, std::size_t operand = 0) const {
    return std::get<View>(context_.nodes[command].command.in[operand]);
  }

 private:
  Context context_;
};

View view_of(const View& base, std::int64_t first, Shape extents, Shape strides) {
  View view = base;
  view.offset += first * 8;
  view.extents = std::move(extents);
  view.strides.clear();
  for (const auto stride : strides) view.strides.push_back(stride * 8);
  return view;
}

/// What is made of the sum of two matrices when `look` at it is copied.
Shape made_for(const View& look) {
  BatchWriter r(2);
  const View a = r.existing({n, m}), b = r.existing({n, m});
  const View sum = r.compute(Op::add, {a, b});
  View seen = look;
  seen.base = sum.base;
  r.compute(Op::copy, {seen}, false);
  r.plan();
  return Narrowed(r).made(0);
}

TEST(Narrow, computes_what_is_read) {
  const View whole = protocol::whole(0, Dtype::float64, {n, m});
  EXPECT_EQ(made_for(view_of(whole, 17 * m + 5, {}, {})), Shape{});
  EXPECT_EQ(made_for(view_of(whole, 17 * m, {m}, {1})), Shape{m});
  EXPECT_EQ(made_for(view_of(whole, 0, {n, 9}, {m, 10})), (Shape{n, 9}));
  EXPECT_EQ(made_for(view_of(whole, n * m - 1, {12, m}, {-10 * m, -1})), (Shape{12, m})) << "backwards";
  EXPECT_EQ(made_for(view_of(whole, 3, {9, 1, 20}, {10, 0, m})), (Shape{9, 1, 20})) << "transposed";
  EXPECT_EQ(made_for(view_of(whole, 3, {7, 20}, {0, m})), (Shape{1, 20})) << "broadcast";
}

TEST(Narrow, but_not_for_little_and_not_where_axes_are_mixed) {
  const View whole = protocol::whole(0, Dtype::float64, {n, m});
  const Shape all{n, m};
  EXPECT_EQ(made_for(whole), all);
  EXPECT_EQ(made_for(view_of(whole, 0, {n / 2, m}, {2 * m, 1})), all);
  EXPECT_EQ(made_for(view_of(whole, 0, {m}, {m + 1})), all) << "the diagonal";
  EXPECT_EQ(made_for(view_of(whole, 0, {n}, {m - 1})), all) << "the other one";
  EXPECT_EQ(made_for(view_of(whole, 0, {n * m / 100}, {100})), all) << "flat";
  EXPECT_EQ(made_for(view_of(whole, 0, {10, 3}, {1, 1})), all) << "windows";
  EXPECT_EQ(made_for(view_of(whole, 0, {0, m}, {m, 1})), all) << "nothing";
}

TEST(Narrow, chains_and_their_operands) {
  BatchWriter r(3);
  const View a = r.existing({n, m}), b = r.existing({m});
  const View flipped = view_of(a, n * m - 1, {n, m}, {-m, -1});
  const View row = view_of(b, 0, {n, m}, {0, 1});
  const View product = r.compute(Op::multiply, {flipped, row});
  const View shifted = r.compute(Op::add, {product, product});
  r.sum(view_of(shifted, 2 * m + 4, {10, m - 4}, {5 * m, 1}));
  r.plan();
  const Narrowed after(r);
  EXPECT_EQ(after.made(0), (Shape{10, m - 4}));
  EXPECT_EQ(after.made(1), (Shape{10, m - 4}));
  EXPECT_EQ(after.read(0, 0), view_of(a, n * m - 1 - 2 * m - 4, {10, m - 4}, {-5 * m, -1}));
  EXPECT_EQ(after.read(0, 1), view_of(b, 4, {10, m - 4}, {0, 1}));
  EXPECT_EQ(after.read(2).strides, (Shape{(m - 4) * 8, 8}));
}

TEST(Narrow, not_what_others_need) {
  const auto made = [](const auto& use) {
    BatchWriter r(2);
    const View a = r.existing({n, m});
    const View b = r.compute(Op::add, {a, number(1)});
    r.compute(Op::negative, {view_of(b, 0, {m}, {1})}, false);
    use(r, b);
    r.plan();
    return Narrowed(r).made(0);
  };
  const Shape all{n, m};
  EXPECT_EQ(made([](auto&, auto&) {}), Shape{m});
  EXPECT_EQ(made([](auto& r, const View& b) { r.sum(view_of(b, 0, {m}, {1})); }), Shape{m}) << "the same";
  EXPECT_EQ(made([](auto& r, const View& b) { r.sum(view_of(b, m, {m}, {1})); }), all) << "another row";
  EXPECT_EQ(made([](auto& r, const View& b) { r.assign(view_of(b, 0, {m}, {1}), view_of(b, m, {m}, {1})); }),
            all);
  EXPECT_EQ(made([](auto& r, const View& b) { r.batch().fetches.push_back(view_of(b, 0, {m}, {1})); }), all);
  EXPECT_EQ(made([](auto& r, const View&) { r.batch().frees.clear(); }), all) << "it has a name";
}

TEST(Narrow, not_numbers_that_depend_on_the_place) {
  BatchWriter r(2);
  const View numbers = r.call(Op::sequence, {n}, Dtype::float64, {number(0), number(1)});
  r.batch().frees.push_back(numbers.base);
  const View twice = r.compute(Op::multiply, {numbers, number(2)});
  r.compute(Op::copy, {view_of(twice, 5, {3}, {7})}, false);
  r.plan();
  EXPECT_EQ(Narrowed(r).made(0), Shape{n});
  EXPECT_EQ(Narrowed(r).made(1), Shape{n}) << "both are one pass";
}

/// Whether one element of an operation's result is all that is computed while floating-point errors are
/// heard.
bool is_narrowed(Op op, Dtype from, Dtype loop, Dtype to, unsigned watched = protocol::float_over) {
  BatchWriter r(2);
  const View a = r.existing({n}, from);
  std::vector<protocol::Operand> in{a};
  if (protocol::info(op).arity == 2) in.emplace_back(a);
  const View made = r.call(op, {n}, to, std::move(in));
  r.batch().commands.back().loop = loop;
  r.batch().frees.push_back(made.base);
  View one = made;
  one.offset = 3 * static_cast<std::int64_t>(protocol::size_of(to));
  one.extents = one.strides = {};
  r.call(Op::copy, {}, to, {one});
  r.batch().commands.back().loop = to;
  r.batch().watched = static_cast<std::uint8_t>(watched);
  return Narrowed(r).made(0).empty();
}

TEST(Narrow, not_what_may_meet_errors_that_somebody_hears_of) {
  using enum Dtype;
  for (const auto op : {Op::add, Op::divide, Op::sqrt, Op::log, Op::exp, Op::power, Op::sin}) {
    EXPECT_FALSE(is_narrowed(op, float64, float64, float64));
    EXPECT_TRUE(is_narrowed(op, float64, float64, float64, 0)) << "nobody hears";
  }
  for (const auto op : {Op::negative, Op::maximum, Op::floor, Op::absolute, Op::copy, Op::arctan})
    EXPECT_TRUE(is_narrowed(op, float64, float64, float64));
  EXPECT_TRUE(is_narrowed(Op::less, float32, float64, bool_));
  EXPECT_TRUE(is_narrowed(Op::add, int64, int64, int64));
  EXPECT_TRUE(is_narrowed(Op::floor_divide, int64, int64, int64));
  EXPECT_FALSE(is_narrowed(Op::floor_divide, float64, float64, float64));
  EXPECT_FALSE(is_narrowed(Op::absolute, complex128, complex128, float64));
  EXPECT_TRUE(is_narrowed(Op::copy, int32, float32, float32));
  EXPECT_FALSE(is_narrowed(Op::copy, int32, float16, float16));
  EXPECT_FALSE(is_narrowed(Op::copy, float64, float32, float32));
  EXPECT_FALSE(is_narrowed(Op::copy, float64, int64, int64));
  EXPECT_FALSE(is_narrowed(Op::maximum, float64, float64, float32));
}

TEST(Narrow, not_behind_what_is_computed_in_whole) {
  BatchWriter r(2);
  r.batch().watched = protocol::float_divide;
  const View a = r.existing({n});
  const View quotient = r.compute(Op::divide, {a, a});
  const View negative = r.compute(Op::negative, {quotient});
  r.compute(Op::copy, {view_of(negative, 5, {}, {})}, false);
  EXPECT_EQ(Narrowed(r).made(1), Shape{n}) << "the quotient would have to be stored";
}

}  // namespace
}  // namespace gamelan::engine::plan
