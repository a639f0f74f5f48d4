// SPDX-License-Identifier: BSD-3-Clause
// The element types of Gamelan arrays and their facts. NumPy decides promotion (in the kernel, by the NumPy
// that is imported); this file only names types, so that both sides mean the same bytes. Called by every
// room.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gamelan::protocol {

enum class Dtype : std::uint8_t {
  bool_,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
};
inline constexpr int dtype_count = 14;

/// Kind as NumPy's `dtype.kind`: b, i, u, f, c.
struct DtypeInfo {
  std::string_view name;     ///< NumPy's name: "float64"
  std::string_view typestr;  ///< NumPy's array-interface code without byte order: "f8"
  std::size_t bytes;         ///< size of one element
  char kind;
};

/// Facts of a dtype; total over the enum.
const DtypeInfo& info(Dtype dtype);
inline std::size_t size_of(Dtype dtype) { return info(dtype).bytes; }

}  // namespace gamelan::protocol
