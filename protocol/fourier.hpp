// SPDX-License-Identifier: BSD-3-Clause
// The kinds of transform: the second integer of a `fourier` command.
#pragma once
#include <cstdint>

namespace gamelan::protocol {

constexpr std::int64_t fourier_forward = 0,
                       fourier_backward = 1;       ///< complex to complex; backward is not normalised
constexpr std::int64_t fourier_real_forward = 2;   ///< real to the first length / 2 + 1 of the result
constexpr std::int64_t fourier_real_backward = 3;  ///< these to real
constexpr std::int64_t fourier_kinds = 4;

}  // namespace gamelan::protocol
