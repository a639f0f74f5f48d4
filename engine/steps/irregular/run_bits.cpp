// SPDX-License-Identifier: BSD-3-Clause
// packbits and unpackbits of a row: eight bytes and one byte are exchanged in one piece.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Dtype;

/// The byte of eight bools.
std::uint8_t packed(const std::uint8_t* bools, bool is_little) {
  std::uint64_t word;
  std::memcpy(&word, bools, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  // The product brings bool i to bit 63 - i, or to bit 56 + i; no two terms meet.
  return static_cast<std::uint8_t>((word * (is_little ? 0x0102040810204080U : 0x8040201008040201U)) >> 56);
}

using Bits = std::array<std::uint8_t, 8>;

std::array<Bits, 256> bits_of_bytes(bool is_little) {
  std::array<Bits, 256> table;
  for (std::size_t byte = 0; byte < table.size(); ++byte)
    for (std::size_t k = 0; k < 8; ++k) table[byte][k] = byte >> (is_little ? k : 7 - k) & 1;
  return table;
}

void pack(const StepContext& context, const plan::PackBits& step, const distribution::Interval& mine) {
  const auto count = step.input.placement.iterations.axes[0].extent;
  auto* out = reinterpret_cast<std::uint8_t*>(context.own_block(step.out));
  Stream bools(context, step.input, step.dtype, Dtype::bool_);
  for (auto at = 8 * mine.first; at < 8 * mine.last && at < count; at += Stream::chunk) {
    const auto some = std::min({Stream::chunk, 8 * mine.last - at, count - at});
    const auto* from = reinterpret_cast<const std::uint8_t*>(bools.read(at, some));
    const auto whole = some / 8;
    for (std::int64_t i = 0; i < whole; ++i) *out++ = packed(from + 8 * i, step.is_little);
    if (some % 8 == 0) continue;
    Bits rest{};
    std::copy_n(from + 8 * whole, some % 8, rest.data());
    *out++ = packed(rest.data(), step.is_little);
  }
}

void unpack(const StepContext& context, const plan::PackBits& step, const distribution::Interval& mine) {
  const auto table = bits_of_bytes(step.is_little);
  auto* out = reinterpret_cast<std::uint8_t*>(context.own_block(step.out));
  Stream bytes(context, step.input, Dtype::uint8, Dtype::uint8);
  const auto last_byte = (mine.last + 7) / 8;
  for (auto at = mine.first / 8; at < last_byte; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, last_byte - at);
    const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.read(at, some));
    for (std::int64_t i = 0; i < some; ++i) {
      const auto& bits = table[from[i]];
      const auto begin = 8 * (at + i);
      if (begin >= mine.first && begin + 8 <= mine.last) {
        std::memcpy(out, bits.data(), bits.size());
        out += 8;
        continue;
      }
      for (auto k = std::max(begin, mine.first); k < std::min(begin + 8, mine.last); ++k)
        *out++ = bits[static_cast<std::size_t>(k - begin)];
    }
  }
}

}  // namespace

void run(const StepContext& context, const plan::PackBits& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank())[0];
  if (mine.size() == 0) return;
  if (step.packs)
    pack(context, step, mine);
  else
    unpack(context, step, mine);
}

}  // namespace gamelan::engine::steps
