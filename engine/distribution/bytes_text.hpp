// SPDX-License-Identifier: BSD-3-Clause
// A number of bytes as text for people: "1.5 GiB". Used in messages.
#pragma once
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace gamelan::engine::distribution {

inline std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

}  // namespace gamelan::engine::distribution
