// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/sweep.hpp"

#include <algorithm>

#include "protocol/dtype.hpp"

namespace gamelan::kernel {

using protocol::View;

namespace {

constexpr int steps_before = 3;
constexpr std::int64_t fewest_parts = 16, growth = 4;
constexpr std::int64_t most_bytes = std::int64_t{4} << 20;  // at once
constexpr std::int64_t most_elements = 65'536;       // of a part: engines compute more in as little time
constexpr std::int64_t most_bytes_unread = 1 << 15;  // of a part, if nobody looks at the results

/// Bytes from the first element to behind the last.
std::int64_t span_of(const View& part) {
  auto span = static_cast<std::int64_t>(protocol::size_of(part.dtype));
  for (std::size_t k = 0; k < part.extents.size(); ++k) span += (part.extents[k] - 1) * part.strides[k];
  return span;
}

bool is_alike(const View& left, const View& right) {
  return left.dtype == right.dtype && left.extents == right.extents && left.strides == right.strides;
}

}  // namespace

void Sweep::note(const View& part, std::uint64_t batches) {
  const std::int64_t step = part.offset - last_.offset;
  if (!is_alike(part, last_) || step != step_) steps_ = looks_ = 0;
  step_ = is_alike(part, last_) ? step : 0;
  steps_ += step_ != 0 ? 1 : 0;
  looks_ += batches != batches_ ? 1 : 0;
  last_ = part;
  batches_ = batches;
}

std::optional<View> Sweep::ahead(const View& part, std::int64_t base_bytes, std::int64_t before) const {
  const std::int64_t elements = protocol::element_count(part.extents);
  if (steps_ < steps_before || step_ <= 0 || part.offset != last_.offset || !is_alike(part, last_) ||
      elements > most_elements)
    return {};
  const auto bytes = elements * static_cast<std::int64_t>(protocol::size_of(part.dtype));
  if (bytes > most_bytes_unread && before == 0 && looks_ < steps_before) return {};
  const std::int64_t span = span_of(part);
  std::int64_t count = std::min((base_bytes - part.offset - span) / step_ + 1, most_bytes / bytes);
  // Parts one behind the other, or columns side by side.
  if (step_ < span) count = std::min(count, part.strides.back() / step_);
  count = std::min(count, before == 0 ? fewest_parts : before * growth);
  if (count < 2) return {};
  View ahead = part;
  ahead.extents.insert(ahead.extents.begin(), count);
  ahead.strides.insert(ahead.strides.begin(), step_);
  return ahead;
}

bool is_of(const View& ahead, const View& part) {
  return ahead.extents.size() == part.extents.size() + 1 && ahead.dtype == part.dtype &&
         std::equal(part.extents.begin(), part.extents.end(), ahead.extents.begin() + 1) &&
         std::equal(part.strides.begin(), part.strides.end(), ahead.strides.begin() + 1);
}

std::optional<std::size_t> place_in(const View& ahead, const View& part) {
  if (!is_of(ahead, part)) return {};
  const std::int64_t distance = part.offset - ahead.offset, step = ahead.strides.front();
  if (distance < 0 || distance % step != 0 || distance / step >= ahead.extents.front()) return {};
  return static_cast<std::size_t>(distance / step * protocol::element_count(part.extents)) *
         protocol::size_of(part.dtype);
}

}  // namespace gamelan::kernel
