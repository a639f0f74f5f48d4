// SPDX-License-Identifier: BSD-3-Clause
// Products of many small matrices in local memory. run_matmul_stack.cpp calls small_products; the loops are
// defined by small_products.cpp once per instruction-set level, with the same bits at each.
#pragma once
#include <cstdint>

#include "protocol/dtype.hpp"

namespace gamelan::engine::tiles {

/// `count` products of m x k by k x n. Steps are in elements: to the next row, column and matrix. The columns
/// of results are adjacent.
struct SmallProducts {
  std::int64_t count = 0, m = 0, n = 0, k = 0;
  std::int64_t a_next = 0, a_row = 0, a_column = 0;
  std::int64_t b_next = 0, b_row = 0, b_column = 0;
  std::int64_t c_next = 0, c_row = 0;
};

using SmallProductLoop = void (*)(const SmallProducts&, const void* a, const void* b, void* c);

/// c = a b for each of the matrices. Integers wrap; float16 is added up in float. bool has no product here.
void small_products(protocol::Dtype dtype, const SmallProducts& each, const void* a, const void* b, void* c);

#define GAMELAN_DECLARE_LEVEL(level)                          \
  namespace level {                                           \
  SmallProductLoop small_product_loop(protocol::Dtype dtype); \
  }
GAMELAN_DECLARE_LEVEL(baseline)
GAMELAN_DECLARE_LEVEL(avx2)
#undef GAMELAN_DECLARE_LEVEL

}  // namespace gamelan::engine::tiles
