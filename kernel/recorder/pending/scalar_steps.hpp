// SPDX-License-Identifier: BSD-3-Clause
// Numbers of commands that grow by equal steps from turn to turn of a loop. Only whole numbers that their
// dtype holds exactly do.
#pragma once
#include <cstdint>
#include <optional>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// Nothing for a fraction, -0.0, and a dtype without whole numbers of its own.
std::optional<std::int64_t> number_of(const protocol::Scalar& scalar);
/// Adds the number's step, as often as there were turns. False where the sum is no number of the dtype.
bool advance(protocol::Scalar& scalar, std::int64_t step, std::int64_t turns);

}  // namespace gamelan::kernel
