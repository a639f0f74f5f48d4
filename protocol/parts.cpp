// SPDX-License-Identifier: BSD-3-Clause
// Names of connections, the joining of parts, and the one buffer of a broadcast (codec.hpp).
#include "protocol/parts.hpp"

#include <cstring>
#include <random>

#include "protocol/bytes.hpp"

namespace gamelan::protocol {
namespace {

constexpr std::byte mark{'g'};  // ZeroMQ's own names begin with 0
constexpr std::size_t name_bytes = 16, route_bytes = name_bytes + 4;

}  // namespace

Bytes random_client_name() {
  std::random_device random;
  Bytes name(name_bytes, mark);
  for (std::size_t index = 1; index < name.size(); ++index)
    name[index] = static_cast<std::byte>(random() & 0xff);
  return name;
}

Bytes routing_id(const ConnectionName& name) {
  Bytes id = name.client;
  for (int shift = 24; shift >= 0; shift -= 8)
    id.push_back(static_cast<std::byte>(name.connection >> shift & 0xff));
  return id;
}

std::optional<ConnectionName> parse_routing_id(const Bytes& routing_id) {
  if (routing_id.size() != route_bytes || routing_id[0] != mark) return std::nullopt;
  ConnectionName name;
  name.client.assign(routing_id.begin(), routing_id.begin() + name_bytes);
  for (std::size_t index = name_bytes; index < route_bytes; ++index)
    name.connection = name.connection << 8 | std::to_integer<std::uint32_t>(routing_id[index]);
  return name;
}

void Joiner::add(std::span<const std::byte> part) {
  bytes_ += part.size();
  if (!is_too_long_ && (bytes_ > max_bytes_ || (!is_continued_ && frames_.size() == max_frames)))
    keep_the_header();
  if (!is_too_long_) {
    if (!is_continued_) frames_.emplace_back();
    frames_.back().insert(frames_.back().end(), part.begin(), part.end());
  }
  is_continued_ = part.size() == part_bytes;
}

void Joiner::keep_the_header() {
  is_too_long_ = true;
  frames_.resize(std::min<std::size_t>(frames_.size(), 1));
  if (!frames_.empty() && frames_[0].size() > max_header_bytes) frames_.clear();  // it is none
  frames_.shrink_to_fit();
}

// ---- one buffer for a broadcast, of codec.hpp: number of frames, their lengths, their bytes

std::size_t packed_bytes(const Frames& frames) {
  std::size_t total = sizeof(std::uint64_t) * (1 + frames.size());
  for (const Bytes& frame : frames) total += frame.size();
  return total;
}

void pack_into(std::span<std::byte> buffer, const Frames& frames) {
  const auto put = [&](const void* source, std::size_t bytes) {
    if (bytes != 0) std::memcpy(buffer.data(), source, bytes);
    buffer = buffer.subspan(bytes);
  };
  const auto put_number = [&](std::uint64_t number) { put(&number, sizeof number); };
  put_number(frames.size());
  for (const Bytes& frame : frames) put_number(frame.size());
  for (const Bytes& frame : frames) put(frame.data(), frame.size());
}

Bytes pack(const Frames& frames) {
  Bytes buffer(packed_bytes(frames));
  pack_into(buffer, frames);
  return buffer;
}

namespace {

[[noreturn]] void reject(const std::string& what) { throw Error(ErrorKind::protocol, "[decode] " + what); }

Frames unpack_from(std::span<const std::byte> buffer) {
  Reader in(buffer);
  const auto count = in.get<std::uint64_t>();
  if (count > max_frames) reject("too many frames: got " + std::to_string(count));
  in.need_each(count, sizeof(std::uint64_t));
  std::vector<std::uint64_t> lengths(count);
  in.get_raw(lengths.data(), count * sizeof(std::uint64_t));
  Frames frames(count);
  for (std::size_t frame = 0; frame < count; ++frame) {
    in.need_each(lengths[frame], 1);
    const auto bytes = buffer.last(in.remaining()).first(lengths[frame]);
    frames[frame].assign(bytes.begin(), bytes.end());  // a resize would write zeros first
    in.skip(lengths[frame]);
  }
  if (in.remaining() != 0) reject("bytes left over after the last frame");
  return frames;
}

}  // namespace

Frames unpack(std::span<const std::byte> buffer) {
  try {
    return unpack_from(buffer);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // of the allocator
    reject(error.what());
  }
}

}  // namespace gamelan::protocol
