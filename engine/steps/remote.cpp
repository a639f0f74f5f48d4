// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/remote.hpp"

#include <algorithm>
#include <cstring>

namespace gamelan::engine::steps {
namespace {

using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;

void copy_elements(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                   std::int64_t count, std::int64_t bytes) {
  if (to_stride == bytes && from_stride == bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(count * bytes));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<std::size_t>(bytes));
}

/// The form in which requested runs are sent: a single element of the usual size is one word, everything else
/// is four.
constexpr std::int64_t usual_bytes = 8;
constexpr std::int64_t page_bytes = 4096;

/// Upper bound of the bytes in pages that a run touches.
std::int64_t page_bytes_of(const RemoteRun& run) {
  const auto pages = [](std::int64_t first, std::int64_t bytes) {
    return (first + bytes - 1) / page_bytes - first / page_bytes + 1;
  };
  const auto length = (run.count - 1) * std::abs(run.stride) + run.bytes;
  const auto first = run.stride < 0 ? run.offset + (run.count - 1) * run.stride : run.offset;
  const auto each = run.count == 1 ? pages(first, run.bytes) : (run.bytes - 1) / page_bytes + 2;
  return std::min(pages(first, length), run.count * each) * page_bytes;
}

Bytes encode(const std::vector<RemoteRun>& runs) {
  std::vector<std::int64_t> words;
  words.reserve(runs.size());
  for (const auto& run : runs) {
    const bool is_single = run.count == 1 && run.bytes == usual_bytes;
    words.push_back(run.offset << 1 | (is_single ? 0 : 1));
    if (!is_single) words.insert(words.end(), {run.stride, run.count, run.bytes});
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
  return Bytes(bytes, bytes + words.size() * sizeof(std::int64_t));
}

template <class Visit>
void for_each_run(const Bytes& encoded, Visit visit) {
  std::vector<std::int64_t> words(encoded.size() / sizeof(std::int64_t));
  std::memcpy(words.data(), encoded.data(), words.size() * sizeof(std::int64_t));
  for (std::size_t w = 0; w < words.size();) {
    const bool is_single = (words[w] & 1) == 0;
    const RemoteRun run = is_single ? RemoteRun{words[w] >> 1, usual_bytes, 1, usual_bytes}
                                    : RemoteRun{words[w] >> 1, words[w + 1], words[w + 2], words[w + 3]};
    visit(run);
    w += is_single ? 1 : 4;
  }
}

}  // namespace

void RemoteGather::ask(int owner, const RemoteRun& run) {
  auto& runs = asked_[owner];
  if (!runs.empty()) {
    auto& last = runs.back();
    const auto stride = last.count > 1 ? last.stride : run.offset - last.offset;
    const bool continues = last.bytes == run.bytes && run.offset == last.offset + last.count * stride &&
                           (run.count == 1 || run.stride == stride);
    if (continues && stride != 0) {
      last.stride = stride;
      last.count += run.count;
      return;
    }
  }
  runs.push_back(run);
}

void RemoteGather::exchange(int readers) {
  std::int64_t ghosts = 0, passing = 0;
  for (const auto& [owner, runs] : asked_)
    for (const auto& run : runs) {
      ghosts += page_bytes_of(run);
      passing += run.count * run.bytes;
    }
  context_.ghost_exchange()->make_room(ghosts, passing, readers);
  std::map<int, Bytes> questions;
  for (const auto& [owner, runs] : asked_) questions[owner] = encode(runs);
  const auto asked = context_.ghost_exchange()->swap(std::move(questions));

  std::map<int, Bytes> answers;
  const std::byte* own = context_.own_block(slot_);
  for (const auto& [asker, encoded] : asked) {
    std::int64_t total = 0;
    for_each_run(encoded, [&](const RemoteRun& run) { total += run.count * run.bytes; });
    Bytes& answer = answers[asker];
    answer.resize(static_cast<std::size_t>(total));
    std::byte* next = answer.data();
    for_each_run(encoded, [&](const RemoteRun& run) {
      copy_elements(next, run.bytes, own + run.offset, run.stride, run.count, run.bytes);
      next += run.count * run.bytes;
    });
  }
  const auto came = context_.ghost_exchange()->swap(std::move(answers));
  for (const auto& [owner, runs] : asked_) {
    std::int64_t total = 0;
    for (const auto& run : runs) total += run.count * run.bytes;
    const auto found = came.find(owner);
    if (total > 0 && (found == came.end() || found->second.size() != static_cast<std::size_t>(total)))
      throw Error(ErrorKind::internal,
                  "[run] rank " + std::to_string(owner) + " has answered something else than was asked");
    if (total == 0) continue;
    const std::byte* next = found->second.data();
    std::byte* ghost = context_.block(slot_, owner);
    for (const auto& run : runs) {
      copy_elements(ghost + run.offset, run.stride, next, run.bytes, run.count, run.bytes);
      next += run.count * run.bytes;
    }
  }
  asked_.clear();
}

void RemoteScatter::tell(int owner, const RemoteRun& run, const std::byte* from, std::int64_t from_stride) {
  Bytes& bytes = told_[owner];
  const auto at = bytes.size();
  bytes.resize(at + sizeof run + static_cast<std::size_t>(run.count * run.bytes));
  std::memcpy(bytes.data() + at, &run, sizeof run);
  copy_elements(bytes.data() + at + sizeof run, run.bytes, from, from_stride, run.count, run.bytes);
}

void RemoteScatter::exchange() {
  const auto came = context_.ghost_exchange()->swap(std::move(told_));
  std::byte* own = context_.own_block(slot_);
  for (const auto& [sender, bytes] : came)
    for (std::size_t at = 0; at < bytes.size();) {
      RemoteRun run;
      std::memcpy(&run, bytes.data() + at, sizeof run);
      at += sizeof run;
      copy_elements(own + run.offset, run.stride, bytes.data() + at, run.bytes, run.count, run.bytes);
      at += static_cast<std::size_t>(run.count * run.bytes);
    }
  told_.clear();
}

}  // namespace gamelan::engine::steps
