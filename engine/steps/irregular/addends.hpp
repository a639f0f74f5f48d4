// SPDX-License-Identifier: BSD-3-Clause
// Additions to elements whose places only data say (np.add.at, weighted bincount): one after the other, in
// the order of the index. A call of a tile loop for each of them takes several times as long as the addition.
#pragma once
#include <cstdint>
#include <cstring>

#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::steps {

/// What visit(number) returns for a number of the type in which values of `dtype` are added: whether it has
/// added them. False where `op` is no addition, or the dtype is rare. Unsigned stands for signed: it wraps.
template <class Visit>
bool with_addend(protocol::Op op, protocol::Dtype dtype, Visit visit) {
  using enum protocol::Dtype;
  if (op != protocol::Op::add) return false;
  if (dtype == float64) return visit(double{});
  if (dtype == float32) return visit(float{});
  if (dtype == int64 || dtype == uint64) return visit(std::uint64_t{});
  if (dtype == int32 || dtype == uint32) return visit(std::uint32_t{});
  return false;
}

/// Bytes of an element as a number.
template <class Number, class Value>
Number as_number(const Value& value) {
  static_assert(sizeof(Value) == sizeof(Number));
  Number number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

}  // namespace gamelan::engine::steps
