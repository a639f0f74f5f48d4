// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/lane.hpp"

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
  const std::uint64_t read = words_->read.load(std::memory_order_acquire);
  const std::uint64_t place = written % bytes_;
  const bool fits_here = place + needed <= bytes_;
  // The mark that sends the reader to the beginning must stay until it is read.
  const bool skips = place != 0 && (!fits_here || (written == read && needed <= place));
  const std::uint64_t begin = skips ? written + bytes_ - place : written;
  if (needed > bytes_ || begin + needed - read > bytes_) return false;
  if (skips) std::memcpy(data_ + place, &skip, word);
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
