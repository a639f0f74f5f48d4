// SPDX-License-Identifier: BSD-3-Clause
// memcpy of elements that lie a little further on in their page than where they come from, as those of
// `x[1:] = y[:-1]`. glibc copies more than 4 KiB by one instruction (`rep movsb`), which on AMD's Zen 3 then
// takes six to ten times as long as a loop over vectors.
#pragma once
#include <cstddef>

namespace gamelan::engine::tiles {

/// As std::memcpy: the two may not overlap.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace gamelan::engine::tiles
