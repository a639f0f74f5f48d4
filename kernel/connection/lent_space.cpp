// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/lent_space.hpp"

#include "protocol/check.hpp"

namespace gamelan::kernel {

std::optional<std::size_t> LentSpace::take(std::uint64_t seq, std::size_t bytes) {
  constexpr auto step = protocol::lent_alignment;
  if (bytes > bytes_) return std::nullopt;
  const auto padded = (bytes + step - 1) / step * step;
  std::size_t begin = 0, limit = bytes_;
  if (!lent_.empty()) {
    const auto oldest = lent_.front().begin;
    begin = lent_.back().end;
    if (begin > oldest && padded > bytes_ - begin) begin = 0;  // there is no room behind: from the beginning
    if (begin <= oldest) limit = oldest;
  }
  if (padded > limit - begin) return std::nullopt;
  lent_.push_back({seq, begin, begin + padded});
  return begin;
}

void LentSpace::release(std::uint64_t seq) {
  for (Lent& each : lent_)
    if (each.seq == seq) each.is_back = true;
  while (!lent_.empty() && lent_.front().is_back) lent_.pop_front();
}

}  // namespace gamelan::kernel
