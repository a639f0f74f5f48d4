// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/irregular/flag_counts.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/steps/irregular/true_flags.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Dtype;

constexpr auto flags_per_count = plan::CountFlags::flags_per_count;
static_assert(flags_per_count <= Stream::chunk, "a run of flags is read at once");

}  // namespace

FlagCounts::FlagCounts(const StepContext& context, const plan::Operand& counts, const plan::Operand& flags)
    : counts_(context, counts, Dtype::int64, Dtype::int64),
      flags_(context, flags, Dtype::bool_, Dtype::bool_),
      length_(flags.placement.iterations.axes[0].extent) {}

std::int64_t FlagCounts::before(std::int64_t position) {
  const auto runs = position / flags_per_count, rest = position % flags_per_count;
  std::int64_t found = 0;
  for (std::int64_t at = 0; at < runs; at += Stream::chunk) {
    const auto count = std::min(Stream::chunk, runs - at);
    const auto* counts = counts_.read_as<std::int64_t>(at, count);
    found = std::accumulate(counts, counts + count, found);
  }
  if (rest == 0) return found;
  return found + count_true(flags_.read_as<unsigned char>(position - rest, rest), rest);
}

std::int64_t FlagCounts::position_after(std::int64_t number) {
  const auto runs = (length_ + flags_per_count - 1) / flags_per_count;
  auto missing = number;
  for (std::int64_t at = 0; at < runs; at += Stream::chunk) {
    const auto count = std::min(Stream::chunk, runs - at);
    const auto* counts = counts_.read_as<std::int64_t>(at, count);
    for (std::int64_t run = 0; run < count; ++run) {
      if (missing >= counts[run]) {
        missing -= counts[run];
        continue;
      }
      const auto first = (at + run) * flags_per_count, last = std::min(first + flags_per_count, length_);
      const auto* flags = flags_.read_as<unsigned char>(first, last - first);
      std::int64_t i = 0;
      for (; missing > 0; ++i) missing -= flags[i] != 0;
      return first + i;
    }
  }
  return length_;
}

std::int64_t count_true(const unsigned char* flags, std::int64_t count) {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101, halves = 0x00ff'00ff'00ff'00ff;
  constexpr std::int64_t words_at_once = 255;  // each byte of `sums` counts up to as many
  std::int64_t found = 0, i = 0;
  while (i + flags_at_once <= count) {
    std::uint64_t sums = 0;
    const auto last = std::min(count - flags_at_once + 1, i + words_at_once * flags_at_once);
    for (; i < last; i += flags_at_once) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, flags + i, sizeof bytes);
      for (int shift = 4; shift > 0; shift /= 2) bytes |= bytes >> shift;  // a bool may be any byte
      sums += bytes & ones;
    }
    const auto pairs = (sums & halves) + (sums >> 8 & halves);
    found += static_cast<std::int64_t>(pairs * 0x0001'0001'0001'0001 >> 48);
  }
  return found + std::count_if(flags + i, flags + count, [](unsigned char flag) { return flag != 0; });
}

void run(const StepContext& context, const plan::CountFlags& count) {
  Stream flags(context, count.flags, Dtype::bool_, Dtype::bool_);
  auto* counts = reinterpret_cast<std::int64_t*>(context.own_block(count.counts));
  for (std::int64_t run = 0; run < count.counts_per_rank; ++run) {
    const auto first = (context.rank() * count.counts_per_rank + run) * flags_per_count;
    const auto length = std::clamp<std::int64_t>(count.count - first, 0, flags_per_count);
    counts[run] = length == 0 ? 0 : count_true(flags.read_as<unsigned char>(first, length), length);
  }
}

}  // namespace gamelan::engine::steps
