// SPDX-License-Identifier: BSD-3-Clause
// Strength reduction: a division by a power of two is a multiplication by its reciprocal. Both round the same
// real number once, so the bits are the same; the division takes several times as long, however wide the
// vectors are.
#include <cmath>
#include <cstring>

#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

/// 1 / divisor in T, when that is exact.
template <class T>
std::optional<protocol::Scalar> exact_reciprocal(protocol::Scalar divisor) {
  T value;
  std::memcpy(&value, divisor.bytes.data(), sizeof value);
  int exponent = 0;
  if (!std::isnormal(value) || std::abs(std::frexp(value, &exponent)) != T(0.5)) return std::nullopt;
  value = T(1) / value;
  if (!std::isnormal(value)) return std::nullopt;
  std::memcpy(divisor.bytes.data(), &value, sizeof value);
  return divisor;
}

}  // namespace

void reduce_strength(Context& context) {
  for (auto& node : context.nodes) {
    auto& command = node.command;
    if (command.op != Op::divide) continue;
    const auto* divisor = std::get_if<protocol::Scalar>(&command.in[1]);
    if (!divisor || divisor->dtype != command.loop) continue;
    std::optional<protocol::Scalar> reciprocal;
    if (command.loop == Dtype::float64) reciprocal = exact_reciprocal<double>(*divisor);
    if (command.loop == Dtype::float32) reciprocal = exact_reciprocal<float>(*divisor);
    if (!reciprocal) continue;
    command.op = Op::multiply;
    command.in[1] = *reciprocal;
  }
}

}  // namespace gamelan::engine::plan
