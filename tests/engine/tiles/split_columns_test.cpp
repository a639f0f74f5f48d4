// SPDX-License-Identifier: BSD-3-Clause
// Columns of a table: every number of columns and rows, wherever the rows begin, at each level; and in a
// program, whatever the order in which it loads them.
#include "engine/tiles/loops/split_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/engine/tiles/every_dtype.hpp"
#include "tests/engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {
namespace {

/// Bytes that are not the same twice in a row.
Buffer numbered(std::size_t bytes) {
  Buffer result(bytes);
  for (std::size_t at = 0; at < bytes; ++at) result[at] = static_cast<std::byte>(at * 37 % 251);
  return result;
}

void check_split(std::size_t item, std::size_t columns, std::size_t pitch, std::size_t count,
                 bool is_backwards) {
  constexpr std::size_t behind = 3;  // elements that nobody may touch
  const auto table = numbered(count * pitch + columns * item);
  const auto* const first = table.data() + (is_backwards && count > 0 ? (count - 1) * pitch : 0);
  const auto step = static_cast<std::ptrdiff_t>(pitch) * (is_backwards ? -1 : 1);
  std::vector<Buffer> found(columns, Buffer((count + behind) * item, std::byte{0xee})), wanted = found;
  std::vector<std::byte*> to;
  for (auto& column : found) to.push_back(column.data());
  const auto split = find_split_columns(static_cast<std::int64_t>(item), columns);
  ASSERT_NE(split, nullptr);
  split(first, step, static_cast<std::int64_t>(count), to.data());
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(wanted[j].data() + i * item, first + static_cast<std::ptrdiff_t>(i) * step + j * item,
                  item);
  ASSERT_EQ(found, wanted) << columns << " columns of " << item << " bytes, " << count << " rows " << step
                           << " bytes apart, " << name(isa());
}

TEST(SplitColumns, each_number_of_columns_and_rows) {
  const LevelGuard guard;
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (const std::size_t item : {std::size_t{4}, std::size_t{8}})
      for (std::size_t columns = 2; columns <= most_split_columns; ++columns)
        for (const std::size_t gap : {std::size_t{0}, item, 5 * item, 300 * item, std::size_t{1}})
          for (const std::size_t count : {0, 1, 3, 4, 5, 8, 11, 130})
            for (const bool is_backwards : {false, true})
              check_split(item, columns, columns * item + gap, count, is_backwards);
  }
}

TEST(SplitColumns, others_are_left_to_their_callers) {
  EXPECT_EQ(find_split_columns(8, 1), nullptr);
  EXPECT_EQ(find_split_columns(8, most_split_columns + 1), nullptr);
  for (const std::int64_t item : {1, 2, 16}) EXPECT_EQ(find_split_columns(item, 4), nullptr);
}

/// The program reads the columns that `order` names as digits of a number: 0 to 4 of one table, 5 to 9 of
/// another of the same form. The cell has `count` rows, `across` of which lie next to each other.
void check_program(const std::string& order, std::int64_t width, std::int64_t count, std::int64_t across,
                   Dtype dtype) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(dtype));
  const auto places = static_cast<int>(order.size());
  const auto elements = width * count;
  std::vector<double> numbers(static_cast<std::size_t>(2 * elements));
  for (std::size_t at = 0; at < numbers.size(); ++at) numbers[at] = static_cast<double>(at * 7 % 10);
  const auto place_of = [&](char digit) {
    const std::int64_t column = digit - '0';
    return column < 5 ? column : elements + column - 5;
  };
  Buffer tables(numbers.size() * static_cast<std::size_t>(item)), out(static_cast<std::size_t>(count * item));
  find_cast(Dtype::float64, dtype)(reinterpret_cast<const std::byte*>(numbers.data()), 8, tables.data(), item,
                                   numbers.size());
  Program program{{}, {}, std::vector<Dtype>(order.size() + 1, dtype)};
  for (int k = 0; k < places; ++k) program.code.push_back(load(k, k, dtype));
  program.code.push_back(constant(10.0, places, dtype));
  int sum = 0, next = places + 1;
  for (int k = 1; k < places; ++k, next += 2) {
    program.code.push_back(compute(Op::multiply, dtype, next, sum, places));
    program.code.push_back(compute(Op::add, dtype, next + 1, next, k));
    sum = next + 1;
  }
  program.code.push_back(store(sum, places));
  program.registers.assign(static_cast<std::size_t>(next), dtype);
  // Results lie the other way round, so that the axes are not merged.
  const auto rows = count / across;
  const Shape extents{rows, across}, first{0, 0}, row{across * width * item, width * item},
      turned{item, rows * item};
  std::vector<Pointer> operands;
  for (const char digit : order) operands.push_back({tables.data() + place_of(digit) * item, row.data()});
  operands.push_back({out.data(), turned.data()});
  Runner(program).run({extents, first, extents, operands});
  for (std::int64_t i = 0; i < count; ++i) {
    double wanted = 0, found = 0;
    for (const char digit : order)
      wanted = 10 * wanted + numbers[static_cast<std::size_t>(place_of(digit) + i * width)];
    find_cast(dtype, Dtype::float64)(out.data() + (i / across + i % across * rows) * item, item,
                                     reinterpret_cast<std::byte*>(&found), 8, 1);
    ASSERT_EQ(found, wanted) << "columns " << order << " of " << width << ", row " << i << " of " << count
                             << ", " << across << " together";
  }
}

TEST(SplitColumns, in_programs) {
  const LevelGuard guard;
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (const auto& [order, width] : {std::pair{"0123", 5},
                                       {"0213", 5},
                                       {"10", 5},
                                       {"02", 5},
                                       {"210", 6},
                                       {"34124", 7},
                                       {"0120", 5},
                                       {"01234", 12},
                                       {"0", 5},
                                       {"13", 5},
                                       {"321", 160},
                                       {"012567", 5},
                                       {"051627", 5},
                                       {"8043", 6}})
      for (const auto& [count, across] :
           {std::pair{1, 1}, {2, 1}, {5, 1}, {300, 1}, {5000, 1}, {600, 20}, {4900, 70}, {4900, 7}})
        for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::int64, Dtype::int32})
          check_program(order, width, count, across, dtype);
  }
}

}  // namespace
}  // namespace gamelan::engine::tiles
