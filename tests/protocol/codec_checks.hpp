// SPDX-License-Identifier: BSD-3-Clause
// A batch to damage, why a damaged one is refused, and whether two requests say the same. For the tests of
// the codec.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "protocol/codec.hpp"

namespace gamelan::protocol {

inline Bytes as_bytes(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

inline std::string as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The message of the refusal; empty when the frames were accepted.
inline std::string refusal(const Frames& frames) {
  try {
    decode_request(frames);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::protocol);
    return error.what();
  }
  return "";
}

inline std::string refusal_of_header(std::string_view header) { return refusal({as_bytes(header)}); }

#define EXPECT_REFUSED_FOR(reason, ...) \
  EXPECT_NE((__VA_ARGS__).find(reason), std::string::npos) << (__VA_ARGS__)

/// Header with `before` replaced by `after`; the test is void if there is nothing to replace.
inline Frames with_header(Frames frames, const std::string& before, const std::string& after) {
  std::string text = as_text(frames[0]);
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before << " in " << text;
  if (at != std::string::npos) text.replace(at, before.size(), after);
  frames[0] = as_bytes(text);
  return frames;
}

inline Batch small_batch() {
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

inline bool same_request(const Request& a, const Request& b) { return std::visit(SameFields{}, a, b); }

}  // namespace gamelan::protocol
