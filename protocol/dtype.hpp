// SPDX-License-Identifier: BSD-3-Clause
// The element types of Gamelan arrays and their facts. NumPy decides promotion (in the kernel, the imported
// NumPy does). This file only gives types names and sizes, so that both sides mean the same bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gamelan::protocol {

/// The dtypes that engines hold, by NumPy's names. The numbers are sent in messages.
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

/// Facts of one dtype. `kind` is NumPy's `dtype.kind`: b, i, u, f or c.
struct DtypeInfo {
  std::string_view name;     ///< NumPy's name: "float64"
  std::string_view typestr;  ///< NumPy's array-interface code without byte order: "f8"
  std::size_t bytes;         ///< size of one element
  char kind;
};

/// The facts of a dtype. Defined for every value of the enum.
const DtypeInfo& info(Dtype dtype);
inline std::size_t size_of(Dtype dtype) { return info(dtype).bytes; }

}  // namespace gamelan::protocol
