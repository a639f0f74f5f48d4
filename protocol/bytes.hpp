// SPDX-License-Identifier: BSD-3-Clause
// Numbers and strings <-> little-endian bytes, for frame 1 of a batch and for `pack`. The Reader compares
// every length with what is left before it allocates memory. Used by codec.cpp and commands.cpp, and by the
// kernel for the file of a session's log.
#pragma once
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "protocol/message.hpp"

namespace gamelan::protocol {

// Payloads are in native byte order, so both ends of a session must have the same one. A port to big-endian
// machines would swap bytes here.
static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t longest_short = 10;  ///< bytes of a 64-bit number with 7 bits in each

/// Numbers that are near 0 on either side of it as small natural ones: the sign is the lowest bit.
constexpr std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

/// Writes into a buffer that is longer than its contents; `finish` cuts it to length. So each number costs
/// one check and one copy. A vector that grows number by number costs three times as much.
class Writer {
 public:
  explicit Writer(std::size_t expected_bytes) : buffer_(expected_bytes) { continue_at(0); }
  Writer(Writer&&) = default;
  Writer& operator=(Writer&&) = default;

  template <typename T>
  void put(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    put_raw(&value, sizeof value);
  }
  void put_raw(const void* source, std::size_t bytes) {
    make_room(bytes);
    if (bytes != 0) std::memcpy(next_, source, bytes);
    next_ += bytes;
  }
  /// A number of 7 bits a byte, the lowest first; the top bit says that more follow.
  void put_short(std::uint64_t value) {
    make_room(longest_short);
    for (; value >= 0x80; value >>= 7) *next_++ = static_cast<std::byte>(value | 0x80);
    *next_++ = static_cast<std::byte>(value);
  }
  void put_signed(std::int64_t value) { put_short(zigzag(value)); }
  void put_text(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    put_raw(text.data(), text.size());
  }
  Bytes finish() {
    buffer_.resize(used());
    if (buffer_.capacity() / 2 > buffer_.size()) buffer_.shrink_to_fit();  // the log keeps it
    return std::move(buffer_);
  }

 private:
  std::size_t used() const { return static_cast<std::size_t>(next_ - buffer_.data()); }
  void make_room(std::size_t bytes) {
    if (bytes <= static_cast<std::size_t>(end_ - next_)) return;
    const std::size_t so_far = used();
    buffer_.resize(2 * buffer_.size() + bytes);
    continue_at(so_far);
  }
  void continue_at(std::size_t position) {
    next_ = buffer_.data() + position;
    end_ = buffer_.data() + buffer_.size();
  }
  Bytes buffer_;
  std::byte *next_, *end_;
};

/// Reads what Writer has written. Throws Error{protocol} when the buffer ends too early.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}

  std::size_t remaining() const { return in_.size(); }

  template <typename T>
  T get() {
    static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
    T value;
    get_raw(&value, sizeof value);
    return value;
  }
  void get_raw(void* target, std::size_t bytes) {
    need(bytes);
    if (bytes != 0) std::memcpy(target, in_.data(), bytes);
    in_ = in_.subspan(bytes);
  }
  void skip(std::size_t bytes) {
    need(bytes);
    in_ = in_.subspan(bytes);
  }
  std::uint64_t get_short() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = get<std::uint8_t>();
      const auto bits = static_cast<std::uint64_t>(byte & 0x7f);
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if (byte < 0x80) return value;
    }
    throw Error(ErrorKind::protocol, "[decode] a number has more than 64 bits");
  }
  std::int64_t get_signed() { return from_zigzag(get_short()); }
  std::string get_text() {
    std::string text(get_count(1), '\0');
    get_raw(text.data(), text.size());
    return text;
  }
  /// Reads the count of things that take at least `bytes_each` bytes each. Throws Error{protocol} when the
  /// rest of the buffer cannot hold so many, before any memory is allocated for them.
  std::uint32_t get_count(std::size_t bytes_each) {
    const auto count = get<std::uint32_t>();
    need_each(count, bytes_each);
    return count;
  }
  void need_each(std::size_t count, std::size_t bytes_each) const {
    if (count > in_.size() / bytes_each) truncated();
  }

 private:
  void need(std::size_t bytes) const {
    if (bytes > in_.size()) truncated();
  }
  [[noreturn]] static void truncated() {
    throw Error(ErrorKind::protocol, "[decode] truncated: a frame ends before what it announces");
  }
  std::span<const std::byte> in_;
};

}  // namespace gamelan::protocol
