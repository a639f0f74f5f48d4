// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/log/kept_frames.hpp"

#include <zlib.h>

#include <new>

namespace gamelan::kernel {

using protocol::Bytes;

namespace {

constexpr std::size_t segment_bytes = std::size_t{64} << 10;  // that one call compresses, or somewhat more
constexpr std::size_t many_elements = std::size_t{32} << 10;  // in bytes

const Bytef* as_bytef(const std::byte* bytes) { return reinterpret_cast<const Bytef*>(bytes); }
Bytef* as_bytef(std::byte* bytes) { return reinterpret_cast<Bytef*>(bytes); }

}  // namespace

Bytes compressed(std::span<const std::byte> bytes) {
  auto size = compressBound(bytes.size());
  Bytes packed(size);
  if (compress2(as_bytef(packed.data()), &size, as_bytef(bytes.data()), bytes.size(), Z_BEST_SPEED) != Z_OK)
    throw std::bad_alloc();  // there is room for any result
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

Bytes expanded(std::span<const std::byte> packed, std::size_t size) {
  constexpr std::size_t most = 1032;  // times as many bytes, which zlib's format allows
  uLongf found = size;
  Bytes bytes;
  if (size / most <= packed.size()) {
    bytes.resize(size);
    const int result = uncompress(as_bytef(bytes.data()), &found, as_bytef(packed.data()), packed.size());
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_OK && found == size) return bytes;
  }
  throw protocol::Error(protocol::ErrorKind::protocol, "[log] compressed commands are damaged");
}

struct KeptFrames::Segment {
  Bytes packed;
  std::size_t size;  // expanded
};

SharedFrames KeptFrames::sent() const {
  if (segment_ == nullptr) return frames_;
  static std::weak_ptr<const Segment> expanded_one;
  static Bytes bytes;
  if (expanded_one.lock() != segment_) {
    bytes = expanded(segment_->packed, segment_->size);
    expanded_one = segment_;
  }
  return std::make_shared<const protocol::Frames>(
      protocol::unpack(std::span(bytes).subspan(begin_, end_ - begin_)));
}

std::int64_t KeptFrames::sent_bytes() const {
  return static_cast<std::int64_t>(segment_ == nullptr ? protocol::packed_bytes(*frames_) : end_ - begin_);
}

std::int64_t KeptFrames::bytes() const {
  constexpr std::size_t of_memory = 16;  // what malloc adds to each piece, and shared_ptr's two counts
  if (segment_ == nullptr)
    return sent_bytes() + static_cast<std::int64_t>(2 * of_memory + sizeof(protocol::Frames) +
                                                    frames_->size() * (of_memory + sizeof(Bytes)));
  const double share = static_cast<double>(end_ - begin_) / static_cast<double>(segment_->size);
  return static_cast<std::int64_t>(share * static_cast<double>(segment_->packed.size())) + 1;
}

bool KeptFrames::has_many_elements() const {
  if (segment_ != nullptr) return false;
  std::size_t bytes = 0;
  for (std::size_t index = 2; index < frames_->size(); ++index)  // behind header and commands
    bytes += (*frames_)[index].size();
  return bytes > many_elements;
}

void KeptFrames::pack(std::span<KeptFrames*> neighbours) {
  std::vector<KeptFrames*> chosen;
  std::vector<std::size_t> ends;
  Bytes together;
  const auto compress = [&] {
    auto packed = compressed(together);
    if (4 * packed.size() < 3 * together.size()) {
      const auto segment = std::make_shared<const Segment>(Segment{std::move(packed), together.size()});
      for (std::size_t index = 0; index < chosen.size(); ++index) {
        chosen[index]->segment_ = segment;
        chosen[index]->begin_ = index == 0 ? 0 : ends[index - 1];
        chosen[index]->end_ = ends[index];
        chosen[index]->frames_.reset();
      }
    }
    chosen.clear();
    ends.clear();
    together.clear();
  };
  for (KeptFrames* each : neighbours) {
    if (each->segment_ != nullptr || each->has_many_elements()) continue;
    const auto bytes = protocol::pack(*each->frames_);
    together.insert(together.end(), bytes.begin(), bytes.end());
    chosen.push_back(each);
    ends.push_back(together.size());
    if (together.size() >= segment_bytes) compress();
  }
}

}  // namespace gamelan::kernel
