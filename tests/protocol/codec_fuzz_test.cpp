// SPDX-License-Identifier: BSD-3-Clause
// Damaged frames by the hundred thousand: the answer is a message or Error{protocol}, nothing else, and what
// is let through is well formed. Means most under the asan preset.
#include <gtest/gtest.h>

#include <optional>

#include "protocol/check.hpp"
#include "protocol/codec.hpp"
#include "random_messages.hpp"
#include "tests/fuzz_count.hpp"

namespace gamelan::protocol {
namespace {

using test::Random;

std::size_t index_below(Random& random, std::size_t size) {
  return static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(size) - 1));
}

std::byte random_byte(Random& random) { return static_cast<std::byte>(random.number(0, 255)); }

/// Numbers on which arithmetic breaks, written over some bytes.
void overwrite(Random& random, Bytes& frame) {
  static constexpr std::array<std::uint64_t, 9> awkward{0,
                                                        1,
                                                        0x7f,
                                                        0xff,
                                                        0x7fff'ffff,
                                                        0xffff'ffff,
                                                        0x7fff'ffff'ffff'ffff,
                                                        0x8000'0000'0000'0000,
                                                        ~std::uint64_t{0}};
  const std::uint64_t number = awkward[index_below(random, awkward.size())];
  const auto width = std::size_t{1} << random.number(0, 3);
  const std::size_t at = index_below(random, frame.size());
  for (std::size_t byte = 0; byte < width && at + byte < frame.size(); ++byte) {
    frame[at + byte] = static_cast<std::byte>(number >> (8 * byte));
  }
}

void mutate_frame(Random& random, Bytes& frame) {
  if (frame.empty()) {
    frame.push_back(random_byte(random));
    return;
  }
  const std::size_t at = index_below(random, frame.size());
  const auto position = frame.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.number(0, 5)) {
    case 0:
      frame[at] ^= std::byte{1} << random.number(0, 7);
      return;
    case 1:
      frame[at] = random_byte(random);
      return;
    case 2:
      frame.resize(at);
      return;
    case 3:
      frame.insert(position, static_cast<std::size_t>(random.number(1, 9)), random_byte(random));
      return;
    case 4:
      frame.erase(position);
      return;
    default:
      overwrite(random, frame);
  }
}

void mutate(Random& random, Frames& frames) {
  if (frames.empty()) {
    frames.emplace_back();
    return;
  }
  const std::size_t at = index_below(random, frames.size());
  const auto position = frames.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.number(0, 19)) {
    case 0:
      frames.erase(position);
      return;
    case 1:
      frames.insert(position, Bytes(frames[at]));
      return;
    case 2:
      std::swap(frames[at], frames[index_below(random, frames.size())]);
      return;
    default:
      mutate_frame(random, frames[at]);
  }
}

struct Tally {
  int accepted = 0, refused = 0;
};

/// Runs `decode` on damaged copies of what `make` gives, and `examine` on what it accepts.
template <typename Make, typename Decode, typename Examine>
Tally fuzz(Random& random, int mutations, Make make, Decode decode, Examine examine) {
  Tally tally;
  Frames original = make();
  for (int round = 0; round < mutations; ++round) {
    if (round % 50 == 0) original = make();
    Frames frames = original;
    for (std::int64_t count = random.chance(80) ? 1 : random.number(2, 6); count > 0; --count)
      mutate(random, frames);
    peek_sequence(frames);
    std::optional<decltype(decode(frames))> accepted;
    try {
      accepted = decode(frames);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::protocol) << error.what();
    }  // anything else fails the test
    ++(accepted ? tally.accepted : tally.refused);
    if (accepted) {
      EXPECT_NO_THROW(examine(*accepted)) << "round " << round;
    }
  }
  return tally;
}

/// The number is only the share: four processes may take one each, and sanitizers make all of it slow.
class DamagedRequests : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(CodecFuzz, DamagedRequests, testing::Range(0, 4));

TEST_P(DamagedRequests, are_refused_or_well_formed) {
  const int mutations = gamelan::test::fuzz_count(25'000);
  Random random;
  SCOPED_TRACE(random.seed());
  const Tally tally = fuzz(
      random, mutations, [&] { return encode(test::random_request(random)); }, decode_request,
      [](const Request& request) {
        if (const Batch* batch = std::get_if<Batch>(&request)) {
          for (const Command& command : batch->commands) check(command, batch->payloads, batch->explain);
        }
        encode(request);  // what was accepted can be said again
      });
  EXPECT_GT(tally.accepted, mutations / 50);
  EXPECT_GT(tally.refused, mutations / 4);
}

TEST(CodecFuzz, damaged_replies) {
  const int mutations = gamelan::test::fuzz_count(15'000);
  Random random;
  SCOPED_TRACE(random.seed());
  const Tally tally = fuzz(
      random, mutations, [&] { return encode(test::random_reply(random)); }, decode_reply,
      [](const Reply& reply) { encode(reply); });
  EXPECT_GT(tally.accepted, mutations / 50);
  EXPECT_GT(tally.refused, mutations / 4);
}

TEST(CodecFuzz, damaged_broadcasts) {
  const int mutations = gamelan::test::fuzz_count(20'000);
  Random random;
  SCOPED_TRACE(random.seed());
  int accepted = 0;
  for (int round = 0; round < mutations; ++round) {
    Bytes packed = pack(encode(Request{Cancel{1, 2}}));
    mutate_frame(random, packed);
    try {
      unpack(packed);
      ++accepted;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::protocol);
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, mutations);
}

TEST(CodecFuzz, noise) {
  Random random;
  SCOPED_TRACE(random.seed());
  for (int round = 0; round < 5'000; ++round) {
    Frames frames(static_cast<std::size_t>(random.number(0, 3)));
    for (Bytes& frame : frames)
      frame = test::random_bytes(random, static_cast<std::size_t>(random.number(0, 60)));
    EXPECT_THROW(decode_request(frames), Error);
    EXPECT_THROW(decode_reply(frames), Error);
  }
}

}  // namespace
}  // namespace gamelan::protocol
