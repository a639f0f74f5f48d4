// SPDX-License-Identifier: BSD-3-Clause
// Frame 1 of a batch: how short its commands are, and how it can lie. Random damage is in
// codec_fuzz_test.cpp.
#include "protocol/commands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "codec_checks.hpp"

namespace gamelan::protocol {
namespace {

TEST(Commands, refuses_every_truncation_and_any_byte_more) {
  const Frames whole_batch = encode(small_batch());
  for (std::size_t length = 0; length < whole_batch[1].size(); ++length) {
    Frames cut = whole_batch;
    cut[1].resize(length);
    EXPECT_NE(refusal(cut), "") << length;
  }
  Frames longer = whole_batch;
  longer[1].emplace_back();
  EXPECT_REFUSED_FOR("left over", refusal(longer));
}

TEST(Commands, says_which_command_is_at_fault) {
  Batch batch = small_batch();
  batch.commands.resize(3, batch.commands[0]);
  batch.commands[2].origin = 1;
  try {
    decode_request(encode(batch));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.command(), 2);
    EXPECT_NE(std::string(error.what()).find("origin"), std::string::npos);
  }
}

TEST(Commands, checks_every_command) {
  Batch batch = small_batch();
  batch.commands.resize(2, batch.commands[0]);
  std::get<View>(batch.commands[1].in[0]).extents = {3, 2};
  EXPECT_REFUSED_FOR("broadcast", refusal(encode(batch)));
}

TEST(Commands, are_decoded_without_elements) {
  Batch batch;
  const auto add_constant = [&](std::int64_t bytes) {
    Command command;
    command.op = Op::constant;
    command.loop = Dtype::uint8;
    command.out = whole(batch.commands.size() + 1, Dtype::uint8, {bytes});
    command.creates = true;
    command.payload = static_cast<std::int32_t>(batch.payloads.size());
    batch.commands.push_back(command);
    batch.payloads.emplace_back(static_cast<std::size_t>(bytes), std::byte{7});
  };
  for (const std::int64_t bytes : {10, 65'535, 65'536, 1'000'000}) add_constant(bytes);
  batch.origins = {{"cell", 1}};
  const Frames frames = encode(Request(batch));
  const Batch shown = decode_without_elements(frames);
  EXPECT_EQ(shown.commands, batch.commands);
  ASSERT_EQ(shown.payloads.size(), 4U);
  EXPECT_EQ(shown.payloads[1], batch.payloads[1]);
  EXPECT_TRUE(shown.payloads[2].empty());
  EXPECT_TRUE(shown.payloads[3].empty());
  EXPECT_THROW(decode_without_elements(encode(Request(Heartbeat{}))), Error);
  EXPECT_THROW(decode_without_elements({}), Error);
  EXPECT_THROW(decode_without_elements({frames[0]}), Error);
}

TEST(Commands, an_empty_batch_has_a_short_header) {
  Batch batch;
  batch.seq = 7;
  EXPECT_EQ(as_text(encode(batch)[0]), R"({"type":"batch","seq":7})");
}

TEST(Commands, a_batch_without_origins_is_accepted) {
  Batch batch = small_batch();
  batch.origins.clear();
  EXPECT_EQ(refusal(encode(batch)), "");
}

TEST(Commands, refuses_a_fetch_of_nothing) {
  Batch batch = small_batch();
  batch.fetches[0].base = 0;
  EXPECT_REFUSED_FOR("fetch", refusal(encode(batch)));
  batch.fetches[0] = whole(3, Dtype::float64, {std::int64_t{1} << 58});
  EXPECT_REFUSED_FOR("outside its base", refusal(encode(batch)));
}

TEST(Commands, refuses_unknown_codes) {
  // The first bytes of the frame are op, loop and creates, then the view: its head, base, dims.
  const struct {
    std::size_t at;
    unsigned value;
    const char* reason;
  } cases[] = {{0, 0xff, "unknown op"},       {1, 14, "unknown dtype"},
               {1, 0x2b, "creates"},          {2, 0x8e, "unknown dtype"},
               {2, 0xcb, "two things"},       {2, 0x4b, "strides of a view with other dimensions"},
               {4, 33, "dimensions: got 33"}, {4, 0xff, "dimensions"}};
  for (const auto& damage : cases) {
    Frames frames = encode(small_batch());
    frames[1][damage.at] = static_cast<std::byte>(damage.value);
    EXPECT_REFUSED_FOR(damage.reason, refusal(frames));
  }
}

TEST(Commands, refuses_numbers_of_more_than_64_bits) {
  Frames frames = encode(small_batch());
  for (const unsigned last : {0x02U, 0x80U}) {
    Frames damaged = frames;
    Bytes& frame = damaged[1];
    frame.insert(frame.begin(), 10, std::byte{0xff});
    frame[9] = static_cast<std::byte>(last);
    EXPECT_REFUSED_FOR("64 bits", refusal(damaged));
    frame[9] = std::byte{0x01};
    EXPECT_REFUSED_FOR("unknown op 18446744073709551615", refusal(damaged));
  }
}

TEST(Commands, extreme_commands_round_trip) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max(),
                 least = std::numeric_limits<std::int64_t>::min();
  Batch batch = small_batch();
  Command& command = batch.commands[0];
  command.creates = false;
  constexpr ArrayId most_id = (ArrayId{1} << 62) - 1;
  command.out.base = most_id;
  command.in[0] = View{1, Dtype::float64, 8, {2, 3}, {0, 0}};
  batch.frees = {most_id, 0, ArrayId{1} << 61, 1, most_id, 2};
  batch.fetches = {View{ArrayId{1} << 61, Dtype::complex128, 0, {0, most >> 5}, {least, most}}};
  batch.origins = {{"", -1}, {"a", 1}, {"a", std::numeric_limits<std::int32_t>::min()}, {"", 7}, {"b", 0}};
  EXPECT_TRUE(same_request(decode_request(encode(batch)), batch));
}

TEST(Commands, refuses_ids_of_more_than_62_bits) {
  Batch batch = small_batch();
  batch.frees = {ArrayId{1} << 62};
  EXPECT_THROW(encode(batch), Error);
  batch.frees = {(ArrayId{1} << 62) - 1, 1};
  Frames frames = encode(batch);
  const Frames others = encode(small_batch());
  const auto differs = std::mismatch(frames[1].begin(), frames[1].end(), others[1].begin()).first;
  *differs = static_cast<std::byte>(std::to_integer<unsigned>(*differs) ^ 2);  // the other side of 0
  EXPECT_REFUSED_FOR("62 bits", refusal(frames));
}

TEST(Commands, a_command_like_the_one_before_takes_few_bytes) {
  Batch batch;
  const ArrayId first = std::uint64_t{1} << 61;
  for (ArrayId turn = 1; turn <= 100; ++turn) {
    Command command = small_batch().commands[0];
    command.out = whole(first + turn, Dtype::float64, {598, 598});
    command.in = {View{first, Dtype::float64, 8, {598, 598}, {4800, 8}},
                  View{first, Dtype::float64, 16, {598, 598}, {4800, 8}}};
    batch.commands.push_back(command);
  }
  batch.origins = {{"program.py", 1}};
  const Frames frames = encode(batch);
  EXPECT_LT(frames[1].size(), std::size_t{25 * 100});
  EXPECT_LT(frames[1].capacity(), 2 * frames[1].size() + 64) << "the log keeps it";
  EXPECT_TRUE(same_request(decode_request(frames), batch));
}

TEST(Commands, refuses_names_that_become_too_long_together) {
  Batch batch;
  batch.origins.assign(2, {std::string(std::size_t{4} << 20, 'x'), 1});
  Frames frames = encode(batch);
  EXPECT_EQ(refusal(frames), "");
  for (int more = 0; more < 15; ++more) frames[1].resize(frames[1].size() + 2);  // that name again, line 0
  EXPECT_REFUSED_FOR("too long", refusal(with_header(frames, "\"origins\":2", "\"origins\":17")));
  batch.origins.resize(17, batch.origins[0]);
  EXPECT_THROW(encode(batch), Error);
}

}  // namespace
}  // namespace gamelan::protocol
