// SPDX-License-Identifier: BSD-3-Clause
// A one-dimensional operand as a row of elements of one dtype, wherever its pieces lie. The irregular steps
// read their indices and values through it.
#pragma once
#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "engine/steps/context.hpp"
#include "engine/tiles/loops/elementwise.hpp"

namespace gamelan::engine::steps {

class Stream {
 public:
  static constexpr std::int64_t chunk = 4096;  ///< elements that fit the buffer

  /// Reads elements of dtype `from` and converts them to `to`.
  Stream(const StepContext& context, const plan::Operand& operand, protocol::Dtype from, protocol::Dtype to,
         std::int64_t longest = chunk);

  /// Elements [first, first + count), count <= longest, contiguous; valid until the next call. Gives messages
  /// time to move.
  const std::byte* read(std::int64_t first, std::int64_t count);
  template <class T>
  const T* read_as(std::int64_t first, std::int64_t count) {
    return reinterpret_cast<const T*>(read(first, count));
  }

 private:
  void find_piece(std::int64_t at);

  const StepContext& context_;
  const plan::Operand& operand_;
  std::int64_t from_bytes_, to_bytes_, longest_;
  bool is_cast_;
  tiles::Cast cast_;
  std::int64_t first_ = 0, last_ = 0;  // what lies in the current piece
  const std::byte* data_ = nullptr;    // of first_
  std::int64_t stride_ = 0;
  bool is_remote_ = false;
  std::unique_ptr<std::byte[]> buffer_;
};

/// A copy of a row, converted to `to`, of which each element becomes `make` of it.
template <class T, class Make>
auto copy_of_row(const StepContext& context, const plan::Operand& operand, protocol::Dtype from,
                 protocol::Dtype to, Make make) {
  const auto length = operand.placement.iterations.axes[0].extent;
  std::vector<decltype(make(T()))> row;
  row.reserve(static_cast<std::size_t>(length));
  Stream elements(context, operand, from, to);
  for (std::int64_t at = 0; at < length; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, length - at);
    const auto* first = elements.read_as<T>(at, some);
    std::transform(first, first + some, std::back_inserter(row), make);
  }
  return row;
}

}  // namespace gamelan::engine::steps
