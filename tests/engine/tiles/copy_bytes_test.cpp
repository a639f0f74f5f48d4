// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/loops/copy_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gamelan::engine::tiles {
namespace {

TEST(CopyBytes, copies_what_lies_anywhere_in_its_page) {
  constexpr std::size_t page = 4096, most = 9000;
  std::vector<std::byte> from(most + 2 * page), to(most + 2 * page);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 251);
  for (const std::size_t bytes : {0U, 1U, 63U, 2047U, 2048U, 2049U, 4096U, 4159U, 9000U})
    for (const std::size_t source : {0U, 1U, 8U, 4095U})
      for (const std::size_t target : {0U, 1U, 8U, 9U, 16U, 31U, 63U, 64U, 72U, 2048U, 4088U}) {
        std::fill(to.begin(), to.end(), std::byte{0xAB});
        copy_bytes(to.data() + target, from.data() + source, bytes);
        const auto begin = to.begin() + static_cast<std::ptrdiff_t>(target),
                   end = begin + static_cast<std::ptrdiff_t>(bytes);
        ASSERT_TRUE(std::equal(begin, end, from.begin() + static_cast<std::ptrdiff_t>(source)))
            << bytes << " bytes from " << source << " to " << target;
        const auto is_untouched = [](std::byte each) { return each == std::byte{0xAB}; };
        ASSERT_TRUE(std::all_of(to.begin(), begin, is_untouched) && std::all_of(end, to.end(), is_untouched));
      }
}

}  // namespace
}  // namespace gamelan::engine::tiles
