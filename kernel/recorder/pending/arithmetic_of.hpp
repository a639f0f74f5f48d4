// SPDX-License-Identifier: BSD-3-Clause
// Which operations the loops of kernel/local know.
#pragma once
#include <optional>

#include "kernel/local/operations.hpp"
#include "protocol/ops.hpp"

namespace gamelan::kernel {

inline std::optional<Arithmetic> arithmetic_of(protocol::Op op) {
  using protocol::Op;
  switch (op) {
    case Op::add:
      return Arithmetic::add;
    case Op::subtract:
      return Arithmetic::subtract;
    case Op::multiply:
      return Arithmetic::multiply;
    case Op::divide:
      return Arithmetic::divide;
    default:
      return std::nullopt;
  }
}

}  // namespace gamelan::kernel
