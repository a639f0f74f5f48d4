// SPDX-License-Identifier: BSD-3-Clause
// The products of many small matrices (small_products.hpp), for each dtype. Built like fold_loops.cpp, once
// per instruction-set level. A call of BLAS would cost more than such a product. Each element is the sum of
// its terms in rising order, at every level.
#include "engine/tiles/loops/small_products.hpp"
#include "engine/tiles/loops/element.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

/// What sums are kept in: unsigned integers wrap, halves would lose bits.
template <class T>
struct SumOf {
  using type = T;
};
template <Integer T>
struct SumOf<T> {
  using type = std::make_unsigned_t<T>;
};
template <>
struct SumOf<bool> {
  using type = std::uint8_t;
};
template <>
struct SumOf<Half> {
  using type = float;
};

/// One row of a result of `width` columns, known when this is compiled.
template <class T, std::int64_t width, bool is_dense>
void multiply_all(const SmallProducts& each, const T* a, const T* b, T* c) {
  using Sum = typename SumOf<T>::type;
  for (std::int64_t at = 0; at < each.count; ++at, a += each.a_next, b += each.b_next, c += each.c_next)
    for (std::int64_t i = 0; i < each.m; ++i) {
      const T* row = a + i * each.a_row;
      Sum sum[width]{};
      for (std::int64_t p = 0; p < each.k; ++p) {
        const Sum factor = static_cast<Sum>(row[p * each.a_column]);
        const T* terms = b + p * each.b_row;
        for (std::int64_t j = 0; j < width; ++j)
          sum[j] =
              static_cast<Sum>(sum[j] + factor * static_cast<Sum>(terms[is_dense ? j : j * each.b_column]));
      }
      T* result = c + i * each.c_row;
      for (std::int64_t j = 0; j < width; ++j) result[j] = static_cast<T>(sum[j]);
    }
}

/// The result in strips of so many columns, the last ones in narrower strips.
template <class T, std::int64_t width>
void multiply_strips(const SmallProducts& each, std::int64_t done, const T* a, const T* b, T* c) {
  for (; done + width <= each.n; done += width) {
    const T* columns = b + done * each.b_column;
    if (each.b_column == 1)
      multiply_all<T, width, true>(each, a, columns, c + done);
    else
      multiply_all<T, width, false>(each, a, columns, c + done);
  }
  if constexpr (width > 1)
    if (done < each.n) multiply_strips<T, width == 3 ? 2 : (width == 4 ? 3 : width / 2)>(each, done, a, b, c);
}

template <class T>
void multiply(const SmallProducts& each, const void* a, const void* b, void* c) {
  multiply_strips<T, 8>(each, 0, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c));
}

}  // namespace

SmallProductLoop small_product_loop(Dtype dtype) {
  return with_element(dtype, []<class T>() -> SmallProductLoop { return multiply<T>; });
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
