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

/// Writes into a buffer that is longer than its contents; `finish` cuts it to length. So each number costs
/// one check and one copy. A vector that grows number by number costs three times as much.
class Writer {
 public:
  explicit Writer(std::size_t expected_bytes) : buffer_(expected_bytes) {}

  template <typename T>
  void put(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    put_raw(&value, sizeof value);
  }
  void put_raw(const void* source, std::size_t bytes) {
    if (bytes > buffer_.size() - used_) buffer_.resize(2 * buffer_.size() + bytes);
    if (bytes != 0) std::memcpy(buffer_.data() + used_, source, bytes);
    used_ += bytes;
  }
  void put_text(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    put_raw(text.data(), text.size());
  }
  Bytes finish() {
    buffer_.resize(used_);
    return std::move(buffer_);
  }

 private:
  Bytes buffer_;
  std::size_t used_ = 0;
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
