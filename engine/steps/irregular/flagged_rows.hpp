// SPDX-License-Identifier: BSD-3-Clause
// Copies rows between places that flags name and a list in which they follow one another. Places are found
// for a block of flags at a time, so that what is copied of several rows stays in a cache.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/steps/irregular/true_flags.hpp"
#include "engine/steps/item.hpp"

namespace gamelan::engine::steps {

constexpr std::int64_t flags_in_block = 256;

/// One end of a copy: where row 0 lies, how far apart rows are, and the elements of a row.
template <class Byte>
struct Rows {
  Byte* first;
  std::int64_t step;            ///< bytes from row to row
  const std::int64_t* strides;  ///< bytes inside a row, by axis
  Byte* row(std::int64_t i) const { return first + i * step; }
};
using RowsFrom = Rows<const std::byte>;
using RowsTo = Rows<std::byte>;

/// Calls `visit` with the size of a row as a constant where it is a small one, else with the number itself.
template <class Visit>
void with_row_bytes(std::int64_t bytes, Visit visit) {
  const auto is_one_of = [&]<std::size_t... sizes>(std::index_sequence<sizes...>) {
    return ((bytes == sizes && (visit(std::integral_constant<std::int64_t, sizes>{}), true)) || ...);
  };
  if (!is_one_of(std::index_sequence<1, 2, 4, 8, 16, 24, 32, 48, 64, 128>{})) visit(bytes);
}

class RowCopier {
 public:
  /// Rows of these extents, of elements of `item` bytes.
  RowCopier(std::span<const std::int64_t> extents, std::int64_t item) : extents_(extents), item_(item) {}

  /// list[k] = rows[i] for the k-th true one of `count` flags i, k < most. Returns how many rows these are.
  std::int64_t take(const unsigned char* flags, std::int64_t count, const RowsFrom& rows, const RowsTo& list,
                    std::int64_t most) const {
    return for_each_block(flags, count, most, [&](std::span<const std::int64_t> places, std::int64_t before) {
      const RowsFrom from = rows;
      RowsTo to = list;
      to.first = list.row(before);
      copy(
          places, from, to, [](auto at, std::int64_t) { return at; }, [](auto, std::int64_t k) { return k; });
    });
  }

  /// rows[i] = list[k]: the other way round.
  std::int64_t put(const unsigned char* flags, std::int64_t count, const RowsFrom& list, const RowsTo& rows,
                   std::int64_t most) const {
    return for_each_block(flags, count, most, [&](std::span<const std::int64_t> places, std::int64_t before) {
      RowsFrom from = list;
      from.first = list.row(before);
      copy(
          places, from, rows, [](auto, std::int64_t k) { return k; },
          [](auto at, std::int64_t) { return at; });
    });
  }

 private:
  template <class Visit>
  static std::int64_t for_each_block(const unsigned char* flags, std::int64_t count, std::int64_t most,
                                     Visit visit) {
    std::array<std::int64_t, flags_in_block + flags_at_once> places;
    std::int64_t done = 0;
    for (std::int64_t first = 0; first < count && done < most; first += flags_in_block) {
      const auto found = append_true(
          flags + first, std::min(flags_in_block, count - first),
          [first](std::int64_t i) { return first + i; }, places.data(), 0, std::ssize(places));
      const auto wanted = std::min(found, most - done);
      if (wanted > 0)
        visit(std::span<const std::int64_t>(places).first(static_cast<std::size_t>(wanted)), done);
      done += wanted;
    }
    return done;
  }

  /// Row from_of(places[k], k) goes to row to_of(places[k], k).
  template <class FromOf, class ToOf>
  void copy(std::span<const std::int64_t> places, const RowsFrom& from, const RowsTo& to, FromOf from_of,
            ToOf to_of) const {
    const auto count = std::ssize(places);
    const auto* place = places.data();
    if (const auto bytes = bytes_together(from, to); bytes > 0) {
      const bool has_runs = from.step == bytes && to.step == bytes &&
                            8 * count > 7 * (places.back() - places.front() + 1) && count > 1;
      if (has_runs) return copy_runs(places, from, to, bytes, from_of, to_of);
      return with_row_bytes(bytes, [&](auto size) {
        for (std::int64_t k = 0; k < count; ++k)
          std::memcpy(to.row(to_of(place[k], k)), from.row(from_of(place[k], k)),
                      static_cast<std::size_t>(size));
      });
    }
    with_item(static_cast<std::size_t>(item_), [&]<class Element>(Element) {
      for_each_element(from.first, to.first, from, to, 0, [&](const std::byte* source, std::byte* target) {
        for (std::int64_t k = 0; k < count; ++k)
          *reinterpret_cast<Element*>(target + to_of(place[k], k) * to.step) =
              *reinterpret_cast<const Element*>(source + from_of(place[k], k) * from.step);
      });
    });
  }

  /// Rows that follow one another at both ends go together.
  template <class FromOf, class ToOf>
  void copy_runs(std::span<const std::int64_t> places, const RowsFrom& from, const RowsTo& to,
                 std::int64_t bytes, FromOf from_of, ToOf to_of) const {
    const auto count = std::ssize(places);
    const auto* place = places.data();
    for (std::int64_t k = 0; k < count;) {
      const auto begin = k++;
      while (k < count && place[k] == place[k - 1] + 1) ++k;
      std::memcpy(to.row(to_of(place[begin], begin)), from.row(from_of(place[begin], begin)),
                  static_cast<std::size_t>((k - begin) * bytes));
    }
  }

  /// The bytes of a row where its elements follow one another at both ends; else 0.
  std::int64_t bytes_together(const RowsFrom& from, const RowsTo& to) const {
    auto bytes = item_;
    for (auto k = extents_.size(); k-- > 0; bytes *= extents_[k])
      if (extents_[k] > 1 && (from.strides[k] != bytes || to.strides[k] != bytes)) return 0;
    return bytes;
  }

  /// Calls visit(source, target) for every element of row 0.
  template <class Visit>
  void for_each_element(const std::byte* source, std::byte* target, const RowsFrom& from, const RowsTo& to,
                        std::size_t axis, const Visit& visit) const {
    if (axis == extents_.size()) return visit(source, target);
    for (std::int64_t i = 0; i < extents_[axis]; ++i)
      for_each_element(source + i * from.strides[axis], target + i * to.strides[axis], from, to, axis + 1,
                       visit);
  }

  std::span<const std::int64_t> extents_;
  std::int64_t item_;
};

}  // namespace gamelan::engine::steps
