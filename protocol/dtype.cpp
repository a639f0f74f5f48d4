// SPDX-License-Identifier: BSD-3-Clause
// The table of element types, and NumPy's promotion written as its rule instead of as 196 entries
// (tests/protocol/promote_test.py holds it against the NumPy that is installed).
#include "protocol/dtype.hpp"

#include <algorithm>

namespace gamelan::protocol {
namespace {

// In the order of the enum; the order also says which of two dtypes of one kind is the larger.
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

Dtype signed_of(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return Dtype::int8;
    case 2:
      return Dtype::int16;
    case 4:
      return Dtype::int32;
    default:
      return Dtype::int64;
  }
}

/// The smallest floating type that NumPy lets stand for every value of a real dtype.
Dtype floating_for(Dtype dtype) {
  const DtypeInfo& facts = info(dtype);
  if (facts.kind == 'f') return dtype;
  if (facts.kind == 'b' || facts.bytes == 1) return Dtype::float16;
  return facts.bytes == 2 ? Dtype::float32 : Dtype::float64;
}

Dtype complex_for(Dtype dtype) {
  if (info(dtype).kind == 'c') return dtype;
  return floating_for(dtype) == Dtype::float64 ? Dtype::complex128 : Dtype::complex64;
}

}  // namespace

const DtypeInfo& info(Dtype dtype) { return table[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> dtype_by_name(std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const DtypeInfo& row) { return row.name == name; });
  if (found == table.end()) return std::nullopt;
  return static_cast<Dtype>(found - table.begin());
}

Dtype promote(Dtype left, Dtype right) {
  const char left_kind = info(left).kind;
  const char right_kind = info(right).kind;
  if (left_kind == right_kind) return std::max(left, right);
  if (left_kind == 'b') return right;
  if (right_kind == 'b') return left;
  if (left_kind == 'c' || right_kind == 'c') return std::max(complex_for(left), complex_for(right));
  if (left_kind == 'f' || right_kind == 'f') return std::max(floating_for(left), floating_for(right));
  const Dtype with_sign = left_kind == 'i' ? left : right;
  const Dtype without_sign = left_kind == 'i' ? right : left;
  if (size_of(with_sign) > size_of(without_sign)) return with_sign;
  if (size_of(without_sign) == 8) return Dtype::float64;  // no integer holds both; NumPy's well-known answer
  return signed_of(2 * size_of(without_sign));
}

}  // namespace gamelan::protocol
