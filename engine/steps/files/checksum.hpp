// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 as zip archives have it, at the speed of memory where the processor multiplies without carries.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace gamelan::engine::steps {

/// The checksum of a message that begins with bytes of checksum `before` (0: with nothing) and goes on with
/// `bytes`.
std::uint32_t checksum(std::uint32_t before, std::span<const std::byte> bytes);

}  // namespace gamelan::engine::steps
