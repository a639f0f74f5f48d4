// SPDX-License-Identifier: BSD-3-Clause
// Round trips of every message, and what is refused: one test for each way in which frames can lie. Random
// damage is in codec_fuzz_test.cpp, commands that contradict their row of ops.def in check_test.cpp.
#include "protocol/codec.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "random_messages.hpp"

namespace gamelan::protocol {
namespace {

using test::Random;

Bytes as_bytes(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The message of the refusal; empty when the frames were accepted.
std::string refusal(const Frames& frames) {
  try {
    decode_request(frames);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::protocol);
    return error.what();
  }
  return "";
}

std::string refusal_of_header(std::string_view header) { return refusal({as_bytes(header)}); }

#define EXPECT_REFUSED_FOR(reason, ...) \
  EXPECT_NE((__VA_ARGS__).find(reason), std::string::npos) << (__VA_ARGS__)

/// Header with `before` replaced by `after`; the test is void if there is nothing to replace.
Frames with_header(Frames frames, const std::string& before, const std::string& after) {
  std::string text = as_text(frames[0]);
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before << " in " << text;
  if (at != std::string::npos) text.replace(at, before.size(), after);
  frames[0] = as_bytes(text);
  return frames;
}

Batch small_batch() {
  Batch batch;
  batch.seq = 5;
  batch.origins = {{"cell 1", 3}};
  Command command;
  command.op = Op::add;
  command.out = whole(3, Dtype::float64, {2, 3});
  command.creates = true;
  command.in = {whole(1, Dtype::float64, {2, 3}), Scalar{}};
  batch.commands = {command};
  batch.frees = {1};
  batch.fetches = {whole(3, Dtype::float64, {2, 3})};
  return batch;
}

struct SameFields {
  bool operator()(const Hello& a, const Hello& b) const {
    return a.seq == b.seq && a.version == b.version && a.fingerprint == b.fingerprint && a.client == b.client;
  }
  bool operator()(const Batch& a, const Batch& b) const {
    return a.seq == b.seq && a.commands == b.commands && a.frees == b.frees && a.fetches == b.fetches &&
           a.origins == b.origins && a.payloads == b.payloads && a.explain == b.explain &&
           a.heard == b.heard && a.watched == b.watched && a.epoch == b.epoch && a.options == b.options &&
           a.holder == b.holder;
  }
  bool operator()(const Heartbeat& a, const Heartbeat& b) const {
    return a.seq == b.seq && a.heard == b.heard;
  }
  bool operator()(const StatusRequest& a, const StatusRequest& b) const { return a.seq == b.seq; }
  bool operator()(const Cancel& a, const Cancel& b) const { return a.seq == b.seq && a.batch == b.batch; }
  bool operator()(const Configure& a, const Configure& b) const {
    return a.seq == b.seq && a.options == b.options;
  }
  bool operator()(const Holding& a, const Holding& b) const {
    return a.seq == b.seq && a.ask == b.ask && a.holder == b.holder && a.array == b.array &&
           a.name == b.name && a.about == b.about;
  }
  bool operator()(const Shutdown& a, const Shutdown& b) const { return a.seq == b.seq; }
  template <typename Left, typename Right>
  bool operator()(const Left&, const Right&) const {
    return false;
  }
};

bool same_request(const Request& a, const Request& b) { return std::visit(SameFields{}, a, b); }

TEST(Codec, random_requests_round_trip) {
  Random random;
  SCOPED_TRACE(random.seed());
  for (int round = 0; round < 3'000; ++round) {
    const Request request = test::random_request(random);
    const Frames frames = encode(request);
    ASSERT_TRUE(same_request(decode_request(frames), request)) << "round " << round;
    ASSERT_EQ(unpack(pack(frames)), frames);
    ASSERT_EQ(peek_sequence(frames), sequence(request));
  }
}

TEST(Codec, random_replies_round_trip) {
  Random random;
  SCOPED_TRACE(random.seed());
  for (int round = 0; round < 3'000; ++round) {
    const Reply reply = test::random_reply(random);
    const Reply back = decode_reply(encode(reply));
    ASSERT_EQ(back.seq, reply.seq);
    ASSERT_EQ(back.outcome, reply.outcome);
    ASSERT_EQ(back.error, reply.error);
    ASSERT_EQ(back.message, reply.message);
    ASSERT_EQ(back.command, reply.command);
    ASSERT_EQ(back.origin, reply.origin);
    ASSERT_EQ(back.float_errors, reply.float_errors);
    ASSERT_EQ(back.info, reply.info);
    ASSERT_EQ(back.payloads, reply.payloads);
  }
}

TEST(Codec, extreme_numbers_round_trip) {
  Hello hello{~std::uint64_t{0}, protocol_version, ~std::uint64_t{0}, ""};
  EXPECT_TRUE(same_request(decode_request(encode(hello)), hello));
  Reply reply;
  reply.seq = ~std::uint64_t{0};
  reply.command = std::numeric_limits<std::int64_t>::min();
  reply.origin.line = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(decode_reply(encode(reply)).seq, reply.seq);
  EXPECT_EQ(decode_reply(encode(reply)).command, reply.command);
  EXPECT_EQ(decode_reply(encode(reply)).origin, reply.origin);
}

TEST(Codec, text_that_is_not_utf8_or_too_long_still_arrives) {
  Reply reply;
  reply.message = "bad \xff byte";
  EXPECT_EQ(decode_reply(encode(reply)).message, "bad \xef\xbf\xbd byte");
  // Control characters take six bytes each in JSON: the header must stay within its limit all the same.
  reply.message.assign(1 << 20, '\x01');
  reply.origin.file.assign(1 << 20, '\x01');
  const Reply back = decode_reply(encode(reply));
  EXPECT_EQ(back.message.substr(0, 1000), reply.message.substr(0, 1000));
}

TEST(Codec, long_info_is_no_header) {
  Reply reply;
  reply.info = "\"" + std::string(3 << 20, 'x') + "\"";
  EXPECT_EQ(decode_reply(encode(reply)).info, reply.info);
}

TEST(Codec, refuses_to_encode_what_no_decoder_takes) {
  Batch batch;
  batch.payloads.resize(max_frames - 1);
  EXPECT_THROW(encode(batch), Error);
  batch.payloads.clear();
  batch.frees.resize(max_commands + 1);
  EXPECT_THROW(encode(batch), Error);
  batch = small_batch();
  batch.fetches[0].strides.pop_back();
  EXPECT_THROW(encode(batch), Error);
  Configure configure{1, {{"name", std::string(max_header_bytes, 'x')}}};
  EXPECT_THROW(encode(configure), Error);
}

TEST(Codec, refuses_frames_without_a_header) {
  EXPECT_REFUSED_FOR("no frames", refusal({}));
  EXPECT_REFUSED_FOR("not a JSON object", refusal({Bytes{}}));
  EXPECT_REFUSED_FOR("not a JSON object", refusal_of_header("[1, 2]"));
  EXPECT_REFUSED_FOR("not a JSON object", refusal_of_header("{\"type\": \"hello\""));
  EXPECT_REFUSED_FOR("not a JSON object", refusal_of_header("{\"type\": \"\xff\"}"));
  EXPECT_REFUSED_FOR("not a JSON object", refusal_of_header("{} {}"));
  EXPECT_REFUSED_FOR("without `type`", refusal_of_header("{}"));
  EXPECT_REFUSED_FOR("`type` is not a string", refusal_of_header(R"({"type": 1})"));
  EXPECT_REFUSED_FOR("unknown type", refusal_of_header(R"({"type": "reply", "seq": 1})"));
  EXPECT_REFUSED_FOR("1 MiB", refusal_of_header(std::string(max_header_bytes + 1, ' ')));
}

TEST(Codec, refuses_deep_nesting_quickly) {
  EXPECT_REFUSED_FOR("too deeply", refusal_of_header(std::string(1'000'000, '[')));
  std::string objects;
  for (int depth = 0; depth < 100'000; ++depth) objects += "{\"a\":";
  EXPECT_REFUSED_FOR("too deeply", refusal_of_header(objects));
  EXPECT_EQ(peek_sequence({as_bytes(objects)}), 0U);
}

TEST(Codec, brackets_in_text_are_no_nesting) {
  const Hello hello{1, protocol_version, 0, std::string(100, '[') + "\"\\{{{{{{{"};
  EXPECT_TRUE(same_request(decode_request(encode(hello)), hello));
}

TEST(Codec, refuses_fields_of_another_type) {
  const Frames hello = encode(Hello{1, 1, 10, "c"});
  EXPECT_REFUSED_FOR("`seq`", refusal(with_header(hello, "\"seq\":1", "\"seq\":-1")));
  EXPECT_REFUSED_FOR("`seq`", refusal(with_header(hello, "\"seq\":1", "\"seq\":1.5")));
  EXPECT_REFUSED_FOR("`seq`", refusal(with_header(hello, "\"seq\":1", "\"seq\":\"1\"")));
  EXPECT_REFUSED_FOR("`seq`", refusal(with_header(hello, "\"seq\":1", "\"seq\":18446744073709551616")));
  EXPECT_REFUSED_FOR("`version`", refusal(with_header(hello, "\"version\":1", "\"version\":4294967296")));
  EXPECT_REFUSED_FOR("`version`",
                     refusal(with_header(hello, "\"version\":1", "\"version\":18446744073709551615")));
  EXPECT_REFUSED_FOR("`fingerprint`", refusal(with_header(hello, "\"a\"", "\"0x\"")));
  EXPECT_REFUSED_FOR("`fingerprint`", refusal(with_header(hello, "\"a\"", "\"11112222333344445\"")));
  EXPECT_REFUSED_FOR("`client`", refusal(with_header(hello, "\"c\"", "null")));
  EXPECT_NE(refusal(with_header(hello, "\"seq\":1", "\"seq\":1e999")), "");
  const Frames configure = encode(Configure{1, {{"a", "b"}}});
  EXPECT_REFUSED_FOR("pairs", refusal(with_header(configure, "\"b\"", "1")));
  EXPECT_REFUSED_FOR("pairs", refusal(with_header(configure, "\"b\"", "\"b\",\"c\"")));
  EXPECT_REFUSED_FOR("list", refusal(with_header(configure, "[[\"a\",\"b\"]]", "{}")));
}

TEST(Codec, a_hello_of_another_version_is_read) {
  const Request request = decode_request(encode(Hello{1, protocol_version + 1, 2, "future"}));
  EXPECT_EQ(std::get<Hello>(request).version, protocol_version + 1);
}

TEST(Codec, refuses_wrong_numbers_of_frames) {
  Frames hello = encode(Hello{});
  hello.emplace_back();
  EXPECT_REFUSED_FOR("number of frames", refusal(hello));
  Frames batch = encode(small_batch());
  batch.pop_back();
  EXPECT_REFUSED_FOR("number of frames", refusal(batch));
  batch = encode(small_batch());
  batch.emplace_back();
  EXPECT_REFUSED_FOR("number of frames", refusal(batch));
  EXPECT_REFUSED_FOR("too many frames", refusal(Frames(max_frames + 1)));
}

TEST(Codec, refuses_counts_that_the_frame_does_not_hold) {
  const Frames batch = encode(small_batch());
  for (const char* name : {"commands", "frees", "fetches", "origins"}) {
    const std::string one = std::string("\"") + name + "\":1";
    const std::string start = std::string("\"") + name + "\":";
    EXPECT_NE(refusal(with_header(batch, one, start + "0")), "") << name;
    EXPECT_NE(refusal(with_header(batch, one, start + "2")), "") << name;
    EXPECT_NE(refusal(with_header(batch, one, start + "60000")), "") << name;
    EXPECT_REFUSED_FOR("too many", refusal(with_header(batch, one, start + "1000001")));
  }
}

TEST(Codec, refuses_every_truncation_and_any_byte_more) {
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

TEST(Codec, says_which_command_is_at_fault) {
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

TEST(Codec, checks_every_command) {
  Batch batch = small_batch();
  batch.commands.resize(2, batch.commands[0]);
  std::get<View>(batch.commands[1].in[0]).extents = {3, 2};
  EXPECT_REFUSED_FOR("broadcast", refusal(encode(batch)));
}

TEST(Codec, a_batch_without_origins_is_accepted) {
  Batch batch = small_batch();
  batch.origins.clear();
  EXPECT_EQ(refusal(encode(batch)), "");
}

TEST(Codec, refuses_a_fetch_of_nothing) {
  Batch batch = small_batch();
  batch.fetches[0].base = 0;
  EXPECT_REFUSED_FOR("fetch", refusal(encode(batch)));
  batch.fetches[0] = whole(3, Dtype::float64, {std::int64_t{1} << 58});
  EXPECT_REFUSED_FOR("outside its base", refusal(encode(batch)));
}

TEST(Codec, refuses_unknown_codes) {
  // The first bytes of the frame are op (2), loop (1), creates (1), then the view: base (8), offset (8),
  // dtype, dims.
  const struct {
    std::size_t at;
    unsigned value;
    const char* reason;
  } cases[] = {{0, static_cast<unsigned>(op_count()), "unknown op"},
               {1, 0xff, "unknown op"},
               {2, 14, "unknown dtype"},
               {3, 2, "creates"},
               {20, 200, "unknown dtype"},
               {21, 33, "dimensions"}};
  for (const auto& damage : cases) {
    Frames frames = encode(small_batch());
    frames[1][damage.at] = static_cast<std::byte>(damage.value);
    EXPECT_REFUSED_FOR(damage.reason, refusal(frames));
  }
}

TEST(Codec, refuses_damaged_replies) {
  const Frames frames = encode(Reply{});
  EXPECT_THROW(decode_reply({}), Error);
  EXPECT_THROW(decode_reply(encode(Hello{})), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"ok\"", "\"fine\"")), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"payloads\":0", "\"payloads\":1")), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"line\":0", "\"line\":3000000000")), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"line\":0", "\"line\":-3000000000")), Error);
  for (const char* errors : {"[[0,1,1]]", "[[16,1,1]]", "[[1,2,1]]", "[[1,-1,1]]", "[[1,1]]", "[1]", "{}"})
    EXPECT_THROW(
        decode_reply(with_header(frames, "\"float_errors\":[]", std::string("\"float_errors\":") + errors)),
        Error);
  Frames damaged = frames;
  damaged[1] = as_bytes("{\"half\": ");
  EXPECT_THROW(decode_reply(damaged), Error);
  EXPECT_EQ(decode_reply(with_header(frames, "\"internal\"", "\"from the future\"")).error,
            ErrorKind::internal);
}

TEST(Codec, peek_reads_the_number_of_a_malformed_request) {
  EXPECT_EQ(peek_sequence({as_bytes(R"({"type": "nonsense", "seq": 17})")}), 17U);
  EXPECT_EQ(peek_sequence({as_bytes(R"({"type": "nonsense"})")}), 0U);
  EXPECT_EQ(peek_sequence({}), 0U);
  EXPECT_EQ(peek_sequence({Bytes(100)}), 0U);
}

TEST(Codec, unpack_refuses_every_inconsistency) {
  const Frames frames{as_bytes("one"), {}, as_bytes("three")};
  const Bytes packed = pack(frames);
  EXPECT_EQ(unpack(packed), frames);
  EXPECT_EQ(unpack(pack({})), Frames{});
  for (std::size_t length = 0; length < packed.size(); ++length) {
    EXPECT_THROW(unpack(std::span(packed).first(length)), Error) << length;
  }
  Bytes longer = packed;
  longer.emplace_back();
  EXPECT_THROW(unpack(longer), Error);
  for (const std::size_t at : {0U, 7U, 8U, 15U}) {  // the count, and the length of the first frame
    Bytes damaged = packed;
    damaged[at] = std::byte{0xff};
    EXPECT_THROW(unpack(damaged), Error) << at;
  }
}

}  // namespace
}  // namespace gamelan::protocol
