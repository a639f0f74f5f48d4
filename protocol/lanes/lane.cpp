// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/lanes/lane.hpp"

#include <algorithm>
#include <cstring>

namespace gamelan::protocol {

namespace {

constexpr std::uint64_t word = sizeof(std::uint64_t);
constexpr std::uint64_t skip = ~std::uint64_t{0};  // in place of a length: go on at the ring's beginning

std::uint64_t padded(std::uint64_t bytes) { return (bytes + word - 1) / word * word; }

}  // namespace

bool Ring::write(const Frames& frames) {
  const std::uint64_t length = packed_bytes(frames), needed = word + padded(length);
  const std::uint64_t written = words_->written.load(std::memory_order_relaxed);
  std::uint64_t read =
      std::max(words_->read.load(std::memory_order_acquire), words_->start.load(std::memory_order_relaxed));
  const std::uint64_t place = written % bytes_, rest = place == 0 ? 0 : bytes_ - place;
  if (written % word != 0) return false;  // somebody else wrote it
  const bool is_empty = read == written, skips = !is_empty && place + needed > bytes_;
  const std::uint64_t begin = is_empty || skips ? written + rest : written;
  if (is_empty) read = begin;
  if (needed > bytes_ || begin + needed - read > bytes_) return false;
  if (is_empty) words_->start.store(begin, std::memory_order_relaxed);
  if (skips && rest != 0)
    std::memcpy(data_ + place, &skip, word);  // where the reader goes on at the beginning
  std::byte* message = data_ + begin % bytes_;
  std::memcpy(message, &length, word);
  pack_into({message + word, length}, frames);
  words_->written.store(begin + needed, std::memory_order_release);
  return true;
}

std::optional<std::span<const std::byte>> Ring::read() {
  std::uint64_t begin = words_->read.load(std::memory_order_relaxed);
  const std::uint64_t written = words_->written.load(std::memory_order_acquire);
  if (begin == written) return std::nullopt;
  begin = std::max(begin, words_->start.load(std::memory_order_relaxed));
  begin -= begin % word;  // what the other process wrote is not trusted: it must not lead out of the ring
  std::uint64_t length = 0;
  std::memcpy(&length, data_ + begin % bytes_, word);
  if (length == skip) {
    begin += bytes_ - begin % bytes_;
    std::memcpy(&length, data_ + begin % bytes_, word);
  }
  const std::uint64_t place = begin % bytes_;
  if (begin >= written || length > bytes_ - place - word || word + padded(length) > written - begin)
    throw Error(ErrorKind::protocol, "[lane] no message where one must begin: got a length of " +
                                         std::to_string(length) + " bytes");
  end_of_read_ = begin + word + padded(length);
  return std::span<const std::byte>(data_ + place + word, length);
}

void Ring::release() { words_->read.store(end_of_read_, std::memory_order_release); }

}  // namespace gamelan::protocol
