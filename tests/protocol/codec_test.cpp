// SPDX-License-Identifier: BSD-3-Clause
// Round trips of every message, and what is refused: one test for each way in which frames can lie. Random
// damage is in codec_fuzz_test.cpp, frame 1 of a batch in commands_test.cpp, commands that contradict their
// row of ops.def in check_test.cpp.
#include "protocol/codec.hpp"

#include <gtest/gtest.h>

#include "codec_checks.hpp"
#include "random_messages.hpp"

namespace gamelan::protocol {
namespace {

using test::Random;

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

TEST(Codec, what_a_reply_has_by_default_is_left_out) {
  Reply reply;
  reply.seq = 7;
  EXPECT_EQ(as_text(encode(reply)[0]), R"({"type":"reply","seq":7})");
  reply.payloads.resize(2);
  EXPECT_EQ(as_text(encode(reply)[0]), R"({"type":"reply","seq":7,"payloads":2})");
}

TEST(Codec, a_refusal_keeps_its_form_in_every_version) {
  const auto text = as_text(encode(failed_reply(3, ErrorKind::version, "other tables"))[0]);
  for (const char* field : {"\"type\":\"reply\"", "\"seq\":3", "\"outcome\":\"failed\"",
                            "\"error\":\"version\"", "\"message\":\"other tables\"", "\"command\":-1",
                            "\"file\":\"\"", "\"line\":0", "\"float_errors\":[]", "\"payloads\":0"})
    EXPECT_NE(text.find(field), std::string::npos) << field << " in " << text;
}

TEST(Codec, refuses_damaged_replies) {
  Reply reply;
  reply.outcome = Outcome::failed;
  reply.error = ErrorKind::value;
  reply.origin = {"a file", 12};
  reply.float_errors = {{1, 1, 1}};
  reply.payloads.resize(1);
  const Frames frames = encode(reply);
  EXPECT_NO_THROW(decode_reply(frames));
  EXPECT_THROW(decode_reply({}), Error);
  EXPECT_THROW(decode_reply(encode(Hello{})), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"failed\"", "\"fine\"")), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"payloads\":1", "\"payloads\":2")), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"line\":12", "\"line\":3000000000")), Error);
  EXPECT_THROW(decode_reply(with_header(frames, "\"line\":12", "\"line\":-3000000000")), Error);
  for (const char* errors : {"[[0,1,1]]", "[[16,1,1]]", "[[1,2,1]]", "[[1,-1,1]]", "[[1,1]]", "[1]", "{}"})
    EXPECT_THROW(decode_reply(with_header(frames, "\"float_errors\":[[1,1,1]]",
                                          std::string("\"float_errors\":") + errors)),
                 Error);
  Frames damaged = frames;
  damaged[1] = as_bytes("{\"half\": ");
  EXPECT_THROW(decode_reply(damaged), Error);
  EXPECT_EQ(decode_reply(with_header(frames, "\"value\"", "\"from the future\"")).error, ErrorKind::internal);
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
