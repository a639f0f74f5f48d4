// SPDX-License-Identifier: BSD-3-Clause
// Ops and dtypes by name, for tests and benches that read them as text.
#pragma once
#include <optional>
#include <string_view>

#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::protocol {

inline std::optional<Op> op_by_name(std::string_view name) {
  for (int code = 0; code < op_count(); ++code)
    if (info(static_cast<Op>(code)).name == name) return static_cast<Op>(code);
  return std::nullopt;
}

inline std::optional<Dtype> dtype_by_name(std::string_view name) {
  for (int code = 0; code < dtype_count; ++code)
    if (info(static_cast<Dtype>(code)).name == name) return static_cast<Dtype>(code);
  return std::nullopt;
}

}  // namespace gamelan::protocol
