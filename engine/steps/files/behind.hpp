// SPDX-License-Identifier: BSD-3-Clause
// What a rank has copied in order to write it to files while later commands run. One thread of the process
// writes, in the order in which it was given the copies, and flushes each file to the disk. Local to the
// rank.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/steps/files/file.hpp"

namespace gamelan::engine::steps {

class WritesBehind {
 public:
  static WritesBehind& of_process();
  WritesBehind(const WritesBehind&) = delete;
  WritesBehind& operator=(const WritesBehind&) = delete;

  using Buffer = std::unique_ptr<std::byte[]>;
  /// Memory for `bytes`, not initialised. Null when many copies wait already, or when each of the `ranks`
  /// ranks of this node could not take twice as much and what waits: what arrays may need is not used up.
  Buffer buffer(std::size_t bytes, int ranks);
  /// Takes a copy, in memory that buffer() gave, that is to stand from byte `offset` of the file on.
  void add(File file, Buffer copy, std::size_t bytes, std::int64_t offset);

  /// Where the bytes that are not on the disk yet, and the writes that have failed, are told from now on.
  /// Null: nowhere. Both must outlive the call with null.
  void report_to(std::atomic<std::uint64_t>* bytes_behind, std::atomic<std::uint64_t>* failures);

 private:
  WritesBehind() = default;
  /// Ends after the request that is on its way; what waits is not written.
  ~WritesBehind();

  struct Item {
    File file;
    Buffer copy;
    std::size_t bytes;
    std::int64_t offset;
  };
  void serve();
  /// Starts the thread, with the mutex. False when the system refuses it.
  bool start();
  /// False when it could not be written, or the process ends.
  bool store(Item& item);
  void tell();  // with the mutex

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<Item> waiting_;
  std::uint64_t behind_ = 0, failures_ = 0;
  std::atomic<std::uint64_t>* told_behind_ = nullptr;
  std::atomic<std::uint64_t>* told_failures_ = nullptr;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace gamelan::engine::steps
