// SPDX-License-Identifier: BSD-3-Clause
// Sorting and searching of numbers in this process, whose elements lie one behind the other. The results are
// NumPy's to the bit, NaNs at the end, except that equal numbers with other bits (0.0 and -0.0, NaNs) come in
// the order of their bits.
#pragma once
#include <cstdint>

namespace gamelan::kernel {

/// Numbers that these loops know: NumPy's i4, i8, u4, u8, f4, f8.
enum class Number : std::uint8_t { int32, int64, uint32, uint64, float32, float64 };

/// Sorts in place, by the digits of the numbers (least significant first): a pass over memory for each digit
/// of eight bits that is not the same in all numbers. Fewer than 2**32 numbers. Takes memory for twice as
/// many; throws std::bad_alloc.
void sort_numbers(Number kind, void* numbers, std::int64_t count);

/// Moves the first of each run of equal numbers to the front and says how many there are.
std::int64_t drop_repeated(Number kind, void* sorted, std::int64_t count);

/// Where each value belongs among `edges`, which are sorted: before equal ones, or behind them.
void search_sorted(Number kind, const void* edges, std::int64_t edge_count, const void* values,
                   std::int64_t count, bool is_behind_equals, std::int64_t* places);

/// True when no number is smaller than the one before it, and none is a NaN.
bool is_ascending(Number kind, const void* numbers, std::int64_t count);

/// True when there is a -0.0, or a NaN with other bits than the usual one: NumPy's order among what equals
/// them is its algorithm's.
bool has_equals_that_differ(Number kind, const void* numbers, std::int64_t count);

bool has_nan(Number kind, const void* numbers, std::int64_t count);

}  // namespace gamelan::kernel
