// SPDX-License-Identifier: BSD-3-Clause
// Requests that have been damaged on the way to a live server.
#pragma once
#include <random>

#include "protocol/codec.hpp"
#include "tests/engine/server_fixture.hpp"

namespace gamelan::engine::test {

/// One to three random mutations of a valid request, or plain noise.
inline Frames fuzzed(std::mt19937& random) {
  const auto below = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const auto noise = [&](std::size_t most) {
    Bytes bytes(below(most));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(below(256));
    return bytes;
  };
  if (below(5) == 0) {
    Frames frames(1 + below(4));
    for (Bytes& frame : frames) frame = noise(200);
    return frames;
  }
  protocol::Batch full = batch(below(1000));
  full.frees = {1, 2, 3};
  full.fetches = {protocol::whole(5, protocol::Dtype::float64, {4, 4})};
  full.origins = {{"cell", 3}};
  full.payloads = {noise(64)};
  protocol::Command command;
  command.op = protocol::Op::add;
  command.out = protocol::whole(6, protocol::Dtype::int8, {3});
  command.in = {protocol::whole(5, protocol::Dtype::float64, {3}), protocol::Scalar{}};
  full.commands = {command};
  const protocol::Request kinds[] = {
      full,
      protocol::Configure{below(9), {{"verify", "1"}}},
      hello(1),
      protocol::Heartbeat{4, 2},
      protocol::StatusRequest{2},
      protocol::Cancel{3, 1},
      protocol::Holding{5, protocol::Holding::Ask::publish, 7, 6, "name", "{}"}};
  Frames frames = protocol::encode(kinds[below(std::size(kinds))]);
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    Bytes& frame = frames[below(frames.size())];
    switch (below(5)) {
      case 0:
        frame.resize(below(frame.size() + 1));
        break;
      case 1: {
        const Bytes more = noise(20);
        frame.insert(frame.end(), more.begin(), more.end());
        break;
      }
      case 2:
        frames.push_back(noise(30));
        break;
      case 3:
        frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(below(frames.size())));
        break;
      default:
        if (!frame.empty()) frame[below(frame.size())] = static_cast<std::byte>(below(256));
    }
    if (frames.empty()) frames.emplace_back();
  }
  return frames;
}

}  // namespace gamelan::engine::test
