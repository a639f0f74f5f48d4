// SPDX-License-Identifier: BSD-3-Clause
// The loops of extremes.hpp, built once per instruction-set level.
#include "engine/tiles/loops/extremes.hpp"

#include <algorithm>
#include <limits>

#include "engine/tiles/loops/element.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

/// As what elements are compared.
template <class T>
using Compared = std::conditional_t<is_half<T>, float, Read<T>>;

/// A signed integer as wide as what is compared: loops over numbers of one width become vectors.
template <class C>
using Index =
    std::conditional_t<sizeof(C) == 1, std::int8_t,
                       std::conditional_t<sizeof(C) == 2, std::int16_t,
                                          std::conditional_t<sizeof(C) == 4, std::int32_t, std::int64_t>>>;

template <class C>
bool is_nan(C x) {
  return x != x;
}

/// The first of so many elements that `is_it` accepts; else `count`. No branches.
template <std::int64_t count, class C, class IsIt>
[[gnu::always_inline]] inline std::int64_t first_of(IsIt is_it) {
  Index<C> least = count;
  for (Index<C> k = 0; k < count; ++k) least = std::min(least, is_it(k) ? k : static_cast<Index<C>>(count));
  return least;
}

template <class T>
std::int64_t first_place(const std::byte* values, std::int64_t count, const void* best) {
  using C = Compared<T>;
  constexpr std::int64_t together = 32, few = 8;
  const auto* at = reinterpret_cast<const Read<T>*>(values);
  const C sought = *static_cast<const C*>(best);
  const auto find = [&](auto is_it) {
    std::int64_t i = 0;
    const auto is_at = [&](std::int64_t k) { return is_it(static_cast<C>(at[i + k])); };
    for (; i + together <= count; i += together) {
      Index<C> found = 0;
      for (std::int64_t k = 0; k < together; ++k)
        found = static_cast<Index<C>>(found | static_cast<Index<C>>(is_at(k)));
      if (found != 0) return i + first_of<together, C>(is_at);
    }
    for (; i + few <= count; i += few)
      if (const auto k = first_of<few, C>(is_at); k < few) return i + k;
    while (i < count && !is_at(0)) ++i;
    return i;
  };
  if (is_nan(sought)) return find([](C x) { return is_nan(x); });
  return find([sought](C x) { return x == sought; });
}

template <class C, bool is_max>
bool is_better(C x, C than) {
  const bool is_beyond = is_max ? x > than : x < than;
  if constexpr (std::is_integral_v<C>) return is_beyond;
  return is_beyond | (is_nan(x) & !is_nan(than));
}

/// Some lines at a time, so that what is known of them stays in the first-level cache.
constexpr std::int64_t lines_together = 512;

template <class T, bool is_max, bool are_neighbours>
void take_rows(const std::byte* values, std::ptrdiff_t along, std::ptrdiff_t step, Index<Compared<T>> rows,
               std::int64_t lines, Compared<T>* __restrict best, Index<Compared<T>>* __restrict place) {
  using C = Compared<T>;
  for (Index<C> i = 0; i < rows; ++i, values += along)
    for (std::int64_t j = 0; j < lines; ++j) {
      const auto at = j * (are_neighbours ? static_cast<std::ptrdiff_t>(sizeof(T)) : step);
      const C x = static_cast<C>(*reinterpret_cast<const Read<T>*>(values + at));
      const bool takes = is_better<C, is_max>(x, best[j]);
      best[j] = takes ? x : best[j];
      place[j] = takes ? i : place[j];
    }
}

template <class T, bool is_max>
void better_of_lines(const std::byte* values, std::ptrdiff_t along, std::ptrdiff_t step, std::int64_t first,
                     std::int64_t length, std::int64_t lines, void* best, std::int64_t* place) {
  using C = Compared<T>;
  constexpr std::int64_t most_rows = std::numeric_limits<Index<C>>::max();
  const auto take = step == static_cast<std::ptrdiff_t>(sizeof(T)) ? take_rows<T, is_max, true>
                                                                   : take_rows<T, is_max, false>;
  auto* best_of = static_cast<C*>(best);
  while (lines > 0) {
    const auto some = std::min(lines, lines_together);
    for (std::int64_t i = 0; i < length;) {
      const auto rows = std::min(most_rows, length - i);
      Index<C> near[lines_together];  // counted from row i on; -1: none is better
      std::fill_n(near, some, static_cast<Index<C>>(-1));
      take(values + i * along, along, step, static_cast<Index<C>>(rows), some, best_of, near);
      for (std::int64_t j = 0; j < some; ++j) place[j] = near[j] < 0 ? place[j] : first + i + near[j];
      i += rows;
    }
    values += some * step;
    best_of += some;
    place += some;
    lines -= some;
  }
}

}  // namespace

ExtremeLoops extreme_loops(Dtype dtype, bool is_max) {
  return with_element(dtype, [&]<class T>() -> ExtremeLoops {
    if constexpr (is_complex<T>)
      return {};
    else
      return {first_place<T>, is_max ? better_of_lines<T, true> : better_of_lines<T, false>};
  });
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
