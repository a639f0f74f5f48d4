// SPDX-License-Identifier: BSD-3-Clause
// Masks on arrays in this process, whose elements lie one behind the other. NumPy branches at each element of
// a mask, which costs a few nanoseconds where true and false alternate at random; these loops do not.
// Elements are moved as they are, so an element may be anything of 1, 2, 4, 8 or 16 bytes without references.
// True is every byte but 0, because a view of other memory may be a mask. A mask that another thread changes
// meanwhile gives other elements, and nothing worse.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gamelan::kernel {

/// True for sizes of elements, in bytes, that these loops know.
bool is_known_item(std::size_t item_bytes);

std::int64_t count_true(const std::uint8_t* mask, std::int64_t elements);

/// to = from[mask], of which there is memory for `picked` elements.
void compress(std::size_t item_bytes, const void* from, const std::uint8_t* mask, std::int64_t elements,
              void* to, std::int64_t picked);

/// to[mask] = values, of which there are `picked`. Writes nothing else.
void expand(std::size_t item_bytes, const void* values, std::int64_t picked, const std::uint8_t* mask,
            std::int64_t elements, void* to);

/// to[mask] = value, which is one element. Writes nothing else.
void fill(std::size_t item_bytes, const void* value, const std::uint8_t* mask, std::int64_t elements,
          void* to);

/// Elements, or a single one for all places.
struct Choice {
  const void* first;
  bool is_single;
};
/// to = where(mask, yes, no). `to` overlaps nothing else.
void choose(std::size_t item_bytes, const std::uint8_t* mask, Choice yes, Choice no, void* to,
            std::int64_t elements);

}  // namespace gamelan::kernel
