// SPDX-License-Identifier: BSD-3-Clause
// The table of element types.
#include "protocol/dtype.hpp"

#include <array>

namespace gamelan::protocol {
namespace {

// In the order of the enum.
constexpr std::array<DtypeInfo, dtype_count> table{{
    {"bool", "b1", 1, 'b'},
    {"int8", "i1", 1, 'i'},
    {"uint8", "u1", 1, 'u'},
    {"int16", "i2", 2, 'i'},
    {"uint16", "u2", 2, 'u'},
    {"int32", "i4", 4, 'i'},
    {"uint32", "u4", 4, 'u'},
    {"int64", "i8", 8, 'i'},
    {"uint64", "u8", 8, 'u'},
    {"float16", "f2", 2, 'f'},
    {"float32", "f4", 4, 'f'},
    {"float64", "f8", 8, 'f'},
    {"complex64", "c8", 8, 'c'},
    {"complex128", "c16", 16, 'c'},
}};
static_assert(table[static_cast<std::size_t>(Dtype::float64)].typestr == "f8");
static_assert(table[static_cast<std::size_t>(Dtype::complex128)].typestr == "c16");

}  // namespace

const DtypeInfo& info(Dtype dtype) { return table[static_cast<std::size_t>(dtype)]; }

}  // namespace gamelan::protocol
