// SPDX-License-Identifier: BSD-3-Clause
// Elements that a client lends: which may be, and which places rank 0 and the others believe.
#include "protocol/lanes/lane.hpp"

#include <gtest/gtest.h>

#include "protocol/check.hpp"

namespace gamelan::protocol::test {
namespace {

constexpr std::size_t elements = 1'000'000, bytes = 8 * elements;
constexpr std::uint64_t begin = LaneRegion::lent_begin(0);

std::optional<LentBytes> lent(std::uint64_t offset, std::uint64_t length, std::size_t wanted = elements,
                              Dtype dtype = Dtype::float64) {
  return lent_by(lent_payload({offset, length}), wanted, dtype);
}

TEST(LentBytes, a_place_comes_out_as_it_went_in) {
  const auto place = lent(begin + 128, bytes);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->offset, begin + 128);
  EXPECT_EQ(place->bytes, bytes);
  EXPECT_TRUE(LaneRegion::holds({begin, bytes}));
  EXPECT_TRUE(LaneRegion::holds({LaneRegion::total_bytes - bytes, bytes}));
  EXPECT_TRUE(lent(begin, bytes, bytes, Dtype::bool_));
}

TEST(LentBytes, a_place_outside_of_the_lanes_or_of_another_length_is_none) {
  EXPECT_FALSE(lent(begin + 8, bytes));
  EXPECT_FALSE(lent(begin, bytes - 8));
  EXPECT_FALSE(lent(begin, bytes + 8));
  EXPECT_FALSE(LaneRegion::holds({0, bytes}));  // over the words of the lanes
  EXPECT_FALSE(LaneRegion::holds({LaneRegion::total_bytes - bytes + 64, bytes}));
  EXPECT_FALSE(LaneRegion::holds({~std::uint64_t{63}, bytes}));  // its end would come before its beginning
  EXPECT_FALSE(LaneRegion::holds({begin, ~std::uint64_t{63}}));
  EXPECT_FALSE(lent(begin, 64, 8));
  EXPECT_FALSE(lent(begin, 64, (std::size_t{1} << 61) + 8));  // times eight is 64 again
  EXPECT_FALSE(lent_by(Bytes(15), elements, Dtype::float64));
  EXPECT_FALSE(lent_by(Bytes(bytes), elements, Dtype::float64));
}

TEST(LentBytes, sixteen_bytes_of_elements_are_elements) {
  const Bytes payload = lent_payload({begin, bytes});
  EXPECT_FALSE(lent_by(payload, 2, Dtype::float64));
  EXPECT_FALSE(lent_by(payload, 16, Dtype::uint8));
}

TEST(LentBytes, large_elements_of_constants_are_lent_and_nothing_else) {
  Batch batch;
  batch.payloads = {Bytes(least_lent_bytes), Bytes(least_lent_bytes - 1), Bytes(least_lent_bytes),
                    Bytes(least_lent_bytes), Bytes(least_lent_bytes)};
  const auto add = [&](Op op, std::int32_t payload, Dtype loop) {
    Command command;
    command.op = op;
    command.loop = loop;
    command.payload = payload;
    batch.commands.push_back(command);
  };
  add(Op::constant, 0, Dtype::float32);
  add(Op::constant, 1, Dtype::float32);
  add(Op::constant, 2, Dtype::bool_);
  add(Op::read_file, 3, Dtype::float32);
  add(Op::constant, 4, Dtype::complex128);
  add(Op::add, -1, Dtype::float64);
  EXPECT_EQ(payloads_to_lend(batch), (std::vector<std::size_t>{0, 2, 4}));
}

TEST(LentBytes, a_constant_that_lends_is_well_formed) {
  Command command;
  command.op = Op::constant;
  command.loop = Dtype::float64;
  command.out = whole(1, Dtype::float64, {1000, 1000});
  command.payload = 0;
  EXPECT_NO_THROW(check(command, {lent_payload({begin, bytes})}));
  EXPECT_THROW(check(command, {lent_payload({begin, bytes - 8})}), Error);
  EXPECT_THROW(check(command, {lent_payload({begin + 1, bytes})}), Error);
  command.loop = Dtype::bool_;
  EXPECT_NO_THROW(check(command, {lent_payload({begin, elements})}));
}

}  // namespace
}  // namespace gamelan::protocol::test
