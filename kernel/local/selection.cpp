// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local/selection.hpp"

#include <array>

namespace gamelan::kernel {
namespace {

using Pair = std::array<std::uint64_t, 2>;

/// Calls what(T{}) for an unsigned type T of that size.
template <class What>
void with_item(std::size_t item_bytes, What what) {
  switch (item_bytes) {
    case 1:
      return what(std::uint8_t{});
    case 2:
      return what(std::uint16_t{});
    case 4:
      return what(std::uint32_t{});
    case 8:
      return what(std::uint64_t{});
    default:
      return what(Pair{});
  }
}

/// Without a branch, whatever the compiler thinks of it.
template <class T>
T either(bool is_first, T first, T second) {
  const T all = static_cast<T>(T{0} - static_cast<T>(is_first));
  return static_cast<T>((first & all) | (second & static_cast<T>(~all)));
}
Pair either(bool is_first, const Pair& first, const Pair& second) {
  return {either(is_first, first[0], second[0]), either(is_first, first[1], second[1])};
}

template <class T, bool yes_is_single, bool no_is_single>
void choose_from(const std::uint8_t* mask, const T* yes, const T* no, T* to, std::int64_t elements) {
  for (std::int64_t i = 0; i < elements; ++i) {
    const T if_true = yes[yes_is_single ? 0 : i], if_false = no[no_is_single ? 0 : i];
    to[i] = either(mask[i] != 0, if_true, if_false);
  }
}

}  // namespace

bool is_known_item(std::size_t item_bytes) {
  return item_bytes == 1 || item_bytes == 2 || item_bytes == 4 || item_bytes == 8 || item_bytes == 16;
}

std::int64_t count_true(const std::uint8_t* mask, std::int64_t elements) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < elements; ++i) count += mask[i] != 0;
  return count;
}

void compress(std::size_t item_bytes, const void* from, const std::uint8_t* mask, void* to,
              std::int64_t picked) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    const T* source = static_cast<const T*>(from);
    T *out = static_cast<T*>(to), *const end = out + picked;
    while (out != end) {  // each element is stored, and a false one overwritten
      *out = *source++;
      out += *mask++ != 0;
    }
  });
}

void expand(std::size_t item_bytes, const void* values, const std::uint8_t* mask, void* to,
            std::int64_t picked) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    T* out = static_cast<T*>(to);
    for (const T *value = static_cast<const T*>(values), *const end = value + picked; value != end; ++out) {
      const bool is_picked = *mask++ != 0;
      *out = either(is_picked, *value, *out);
      value += is_picked;
    }
  });
}

void fill(std::size_t item_bytes, const void* value, const std::uint8_t* mask, void* to,
          std::int64_t elements) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    const T one = *static_cast<const T*>(value);
    T* const out = static_cast<T*>(to);
    for (std::int64_t i = 0; i < elements; ++i) out[i] = either(mask[i] != 0, one, out[i]);
  });
}

void choose(std::size_t item_bytes, const std::uint8_t* mask, Choice yes, Choice no, void* to,
            std::int64_t elements) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    const T *first_yes = static_cast<const T*>(yes.first), *first_no = static_cast<const T*>(no.first);
    T* const out = static_cast<T*>(to);
    if (yes.is_single && no.is_single)
      choose_from<T, true, true>(mask, first_yes, first_no, out, elements);
    else if (yes.is_single)
      choose_from<T, true, false>(mask, first_yes, first_no, out, elements);
    else if (no.is_single)
      choose_from<T, false, true>(mask, first_yes, first_no, out, elements);
    else
      choose_from<T, false, false>(mask, first_yes, first_no, out, elements);
  });
}

}  // namespace gamelan::kernel
