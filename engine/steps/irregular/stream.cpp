// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/irregular/stream.hpp"

#include <algorithm>

namespace gamelan::engine::steps {

Stream::Stream(const StepContext& context, const plan::Operand& operand, protocol::Dtype from,
               protocol::Dtype to, std::int64_t longest)
    : context_(context),
      operand_(operand),
      from_bytes_(static_cast<std::int64_t>(protocol::size_of(from))),
      to_bytes_(static_cast<std::int64_t>(protocol::size_of(to))),
      longest_(longest),
      is_cast_(from != to),
      cast_(tiles::find_cast(from, to)) {}

void Stream::find_piece(std::int64_t at) {
  const auto& axis = operand_.placement.iterations.axes[0];
  const auto interval = axis.interval(axis.owner(at));
  first_ = interval.first;
  last_ = interval.last;
  const auto piece = distribution::locate(operand_.placement, {first_}, context_.rank());
  data_ = context_.address(operand_, piece);
  stride_ = piece.strides[0];
  is_remote_ = piece.owner != context_.rank();
}

const std::byte* Stream::read(std::int64_t first, std::int64_t count) {
  context_.progress();
  if (first < first_ || first >= last_) find_piece(first);
  if (is_remote_) context_.counters().bytes_shared += static_cast<std::uint64_t>(count * from_bytes_);
  if (!is_cast_ && first + count <= last_ && (stride_ == from_bytes_ || count == 1))
    return data_ + (first - first_) * stride_;
  if (!buffer_)
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(longest_ * to_bytes_));
  for (std::int64_t done = 0; done < count;) {
    const auto at = first + done;
    if (at >= last_) find_piece(at);
    const auto run = std::min(count - done, last_ - at);
    cast_(data_ + (at - first_) * stride_, stride_, buffer_.get() + done * to_bytes_, to_bytes_,
          static_cast<std::size_t>(run));
    done += run;
  }
  return buffer_.get();
}

}  // namespace gamelan::engine::steps
