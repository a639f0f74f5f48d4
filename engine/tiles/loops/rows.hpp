// SPDX-License-Identifier: BSD-3-Clause
// One type per element-wise row of the op table, holding the row's expression over any T that the row admits.
// This is the only expansion of the `expr` column; elementwise_loops.cpp makes loops of it and fold_loops.cpp
// reductions.
#pragma once
#include "engine/tiles/loops/scalar.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA::rows {

using protocol::Op;
using protocol::Result;
using protocol::Types;
using enum protocol::Trait;

/// The `identity` column: the fold of no elements.
enum class Identity : std::uint8_t { zero, one, ones, lowest, highest, absent };

#define NULLARY(name, types, doc, expr)                                                            \
  struct name##_row {                                                                              \
    static constexpr Op op = Op::name;                                                             \
    static constexpr Types admitted = Types::types;                                                \
    template <class T>                                                                             \
    static T apply([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] std::uint64_t key, \
                   [[maybe_unused]] std::int64_t offset, std::int64_t i) {                         \
      return static_cast<T>(expr);                                                                 \
    }                                                                                              \
  };
#define UNARY(name, types, result, traits, errors, doc, expr)     \
  struct name##_row {                                             \
    static constexpr Op op = Op::name;                            \
    static constexpr Types admitted = Types::types;               \
    template <class T>                                            \
    static auto apply(T x) {                                      \
      return static_cast<ResultElement<Result::result, T>>(expr); \
    }                                                             \
  };
#define BINARY(name, types, result, identity_, traits, errors, doc, expr) \
  struct name##_row {                                                     \
    static constexpr Op op = Op::name;                                    \
    static constexpr Types admitted = Types::types;                       \
    static constexpr Identity identity = Identity::identity_;             \
    static constexpr bool is_associative = ((traits)&associative) != 0;   \
    template <class T>                                                    \
    static auto apply(T x, T y) {                                         \
      return static_cast<ResultElement<Result::result, T>>(expr);         \
    }                                                                     \
  };
#define TERNARY(name, types, doc, expr)             \
  struct name##_row {                               \
    static constexpr Types admitted = Types::types; \
    template <class T>                              \
    static T apply(bool c, T x, T y) {              \
      return expr;                                  \
    }                                               \
  };
#include "protocol/ops.def"

/// A row folds over T when it is associative and gives a T.
template <class Row, class T>
constexpr bool can_fold() {
  if constexpr (Row::is_associative && admits<T>(Row::admitted)) {
    return std::is_same_v<decltype(Row::apply(T(), T())), T>;
  } else {
    return false;
  }
}

/// visit.operator()<Row>() for the row of an op that folds over T; Found{} for every other op.
template <class T, class Found, class Visit>
Found with_fold(Op op, Visit visit) {
  switch (op) {
#define BINARY(name, types, result, identity, traits, errors, doc, expr)                     \
  case Op::name:                                                                             \
    if constexpr (can_fold<name##_row, T>()) return visit.template operator()<name##_row>(); \
    break;
#include "protocol/ops.def"
    default:
      break;
  }
  return {};
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA::rows
