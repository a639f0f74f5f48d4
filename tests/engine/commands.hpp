// SPDX-License-Identifier: BSD-3-Clause
// Commands by hand, for tests that give batches to a session.
#pragma once
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::testing {

/// A float64, or an int64.
template <class Value>
protocol::Scalar number(Value value) {
  protocol::Scalar result;
  result.dtype = std::is_same_v<Value, double> ? protocol::Dtype::float64 : protocol::Dtype::int64;
  std::memcpy(result.bytes.data(), &value, sizeof value);
  return result;
}

/// Computes in the dtype of `out`.
inline protocol::Command command(protocol::Op op, const protocol::View& out, bool creates,
                                 std::vector<protocol::Operand> in, std::vector<std::int64_t> ints = {}) {
  protocol::Command result;
  result.op = op;
  result.out = out;
  result.loop = out.dtype;
  result.creates = creates;
  result.in = std::move(in);
  result.ints = std::move(ints);
  return result;
}

}  // namespace gamelan::testing
