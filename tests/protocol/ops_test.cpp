// SPDX-License-Identifier: BSD-3-Clause
// The op table's expansion. That the fingerprint sees a changed row is shown by fingerprint_test.py.
#include "protocol/ops.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "tests/protocol/by_name.hpp"

namespace gamelan::protocol {
namespace {

TEST(Ops, every_name_finds_its_op) {
  std::set<std::string_view> names;
  for (int code = 0; code < op_count(); ++code) {
    const auto op = static_cast<Op>(code);
    EXPECT_EQ(op_by_name(info(op).name), op);
    names.insert(info(op).name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(op_count()));
  EXPECT_EQ(op_by_name("no_such_op"), std::nullopt);
}

TEST(Ops, arity_follows_the_kind_of_row) {
  for (int code = 0; code < op_count(); ++code) {
    const OpInfo& row = info(static_cast<Op>(code));
    switch (row.kind) {
      case RowKind::nullary:
        EXPECT_EQ(row.arity, 2) << row.name;
        break;
      case RowKind::unary:
        EXPECT_EQ(row.arity, 1) << row.name;
        break;
      case RowKind::binary:
        EXPECT_EQ(row.arity, 2) << row.name;
        break;
      case RowKind::ternary:
        EXPECT_EQ(row.arity, 3) << row.name;
        break;
      case RowKind::reduce:
        EXPECT_EQ(row.arity, 1) << row.name;
        break;
      case RowKind::call:
        EXPECT_EQ(row.arity, -1) << row.name;
        break;
    }
    EXPECT_FALSE(row.doc.empty()) << row.name;
  }
}

TEST(Ops, reductions_fold_with_an_associative_binary_op_and_give_its_result) {
  int reductions = 0;
  for (int code = 0; code < op_count(); ++code) {
    const OpInfo& row = info(static_cast<Op>(code));
    if (row.kind != RowKind::reduce) {
      EXPECT_EQ(row.of, static_cast<Op>(code)) << row.name;
      continue;
    }
    ++reductions;
    EXPECT_EQ(info(row.of).kind, RowKind::binary) << row.name;
    EXPECT_NE(info(row.of).traits & Trait::associative, 0U) << row.name;
    EXPECT_EQ(row.result, info(row.of).result) << row.name;
  }
  EXPECT_GE(reductions, 6);
  EXPECT_EQ(info(Op::any).result, Result::boolean);
  EXPECT_EQ(info(Op::sum).of, Op::add);
}

TEST(Ops, elementwise_is_what_may_be_fused) {
  EXPECT_TRUE(is_elementwise(Op::sequence));
  EXPECT_TRUE(is_elementwise(Op::copy));
  EXPECT_TRUE(is_elementwise(Op::add));
  EXPECT_TRUE(is_elementwise(Op::where));
  EXPECT_FALSE(is_elementwise(Op::sum));
  EXPECT_FALSE(is_elementwise(Op::matmul));
}

TEST(Ops, columns_arrive_in_their_places) {
  EXPECT_EQ(info(Op::absolute).result, Result::real_of);
  EXPECT_EQ(info(Op::less).result, Result::boolean);
  EXPECT_EQ(info(Op::bitwise_and).types, Types::integer_or_bool);
  EXPECT_EQ(info(Op::add).traits, unsigned{commutative} | unsigned{associative});
  EXPECT_EQ(info(Op::subtract).traits, unsigned{none});
  EXPECT_EQ(info(Op::exp).traits, unsigned{transcendental});
}

TEST(Ops, fingerprint_is_one_number) {
  EXPECT_EQ(fingerprint(), fingerprint());
  EXPECT_NE(fingerprint(), 0U);
}

}  // namespace
}  // namespace gamelan::protocol
