// SPDX-License-Identifier: BSD-3-Clause
// Facts of the element types.
#include "protocol/dtype.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/protocol/by_name.hpp"

namespace gamelan::protocol {
namespace {

TEST(Dtype, every_name_finds_its_dtype) {
  std::set<std::string_view> names;
  for (int code = 0; code < dtype_count; ++code) {
    const auto dtype = static_cast<Dtype>(code);
    EXPECT_EQ(dtype_by_name(info(dtype).name), dtype);
    names.insert(info(dtype).name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(dtype_count));
}

TEST(Dtype, unknown_name_finds_nothing) {
  EXPECT_EQ(dtype_by_name("bool_"), std::nullopt);
  EXPECT_EQ(dtype_by_name("float128"), std::nullopt);
  EXPECT_EQ(dtype_by_name(""), std::nullopt);
}

TEST(Dtype, typestr_says_kind_and_bytes) {
  for (int code = 0; code < dtype_count; ++code) {
    const DtypeInfo& row = info(static_cast<Dtype>(code));
    EXPECT_EQ(row.typestr.substr(1), std::to_string(row.bytes)) << row.name;
    EXPECT_EQ(row.typestr[0], row.kind) << row.name;
  }
}

TEST(Dtype, enum_names_its_row) {
  EXPECT_EQ(info(Dtype::bool_).name, "bool");
  EXPECT_EQ(info(Dtype::uint8).name, "uint8");
  EXPECT_EQ(info(Dtype::int64).name, "int64");
  EXPECT_EQ(info(Dtype::float16).name, "float16");
  EXPECT_EQ(info(Dtype::float32).name, "float32");
  EXPECT_EQ(info(Dtype::complex128).name, "complex128");
}

}  // namespace
}  // namespace gamelan::protocol
