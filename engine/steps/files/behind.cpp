// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/behind.hpp"

#include <algorithm>
#include <iostream>
#include <new>
#include <system_error>
#include <utility>

#include "engine/distribution/pages.hpp"
#include "engine/steps/files/no_signals.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::size_t request_bytes = std::size_t{8} << 20;
constexpr std::size_t most_waiting = 64;  // each has an open file

}  // namespace

WritesBehind& WritesBehind::of_process() {
  static WritesBehind all;
  return all;
}

WritesBehind::Buffer WritesBehind::buffer(std::size_t bytes, int ranks) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= most_waiting) return nullptr;
    if (!distribution::has_room(2 * bytes + behind_, ranks)) return nullptr;
    if (!thread_.joinable() && !start()) return nullptr;
  }
  return Buffer(new (std::nothrow) std::byte[bytes]);
}

bool WritesBehind::start() {
  const NoSignals guard;
  try {
    thread_ = std::thread([this] { serve(); });
    return true;
  } catch (const std::system_error&) {  // no more threads are allowed here
    return false;
  }
}

void WritesBehind::add(File file, Buffer copy, std::size_t bytes, std::int64_t offset) {
  const std::scoped_lock lock(mutex_);
  waiting_.push_back({std::move(file), std::move(copy), bytes, offset});
  behind_ += bytes;
  tell();
  wakes_.notify_one();
}

void WritesBehind::report_to(std::atomic<std::uint64_t>* bytes_behind, std::atomic<std::uint64_t>* failures) {
  const std::scoped_lock lock(mutex_);
  told_behind_ = bytes_behind;
  told_failures_ = failures;
  tell();
}

void WritesBehind::tell() {
  if (told_behind_ == nullptr) return;
  told_failures_->store(failures_);  // first: who sees that all is done must see what has failed
  told_behind_->store(behind_);
}

void WritesBehind::serve() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (waiting_.empty()) {
      wakes_.wait(lock);
      continue;
    }
    Item item = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const bool is_stored = store(item);
    item.copy.reset();
    lock.lock();
    failures_ += is_stored ? 0 : 1;
    behind_ -= item.bytes;
    tell();
  }
}

bool WritesBehind::store(Item& item) {
  try {
    for (std::size_t first = 0; first < item.bytes; first += request_bytes) {
      if (ends_) return false;
      item.file.write({item.copy.get() + first, std::min(request_bytes, item.bytes - first)},
                      item.offset + static_cast<std::int64_t>(first));
    }
    if (ends_) return false;
    item.file.synchronise();
    item.file.close();
    return true;
  } catch (const std::exception& error) {
    std::cerr << "gamelan-engine: a checkpoint could not be written: " << error.what() << std::endl;
    return false;
  }
}

WritesBehind::~WritesBehind() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wakes_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace gamelan::engine::steps
