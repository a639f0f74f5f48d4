// SPDX-License-Identifier: BSD-3-Clause
// The CRC-32 of elements of which each rank has summed its part.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace gamelan::kernel {

/// `receipts`: the result of write_file, a sum and a number of bytes of each rank, in the order of the file.
std::uint32_t combined_sum(std::span<const std::byte> receipts);

}  // namespace gamelan::kernel
