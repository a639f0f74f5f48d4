// SPDX-License-Identifier: BSD-3-Clause
// Which sessions' pieces the engines of this process hold. A thread sets the time of their folders once a
// minute: what nobody holds may be removed after an hour (piece_files.hpp). So nobody must know whether the
// process of a notebook on another host lives. One rank of each node does it.
#pragma once
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace gamelan::engine::steps {

class PieceLeases {
 public:
  static PieceLeases& of_process();
  PieceLeases(const PieceLeases&) = delete;
  PieceLeases& operator=(const PieceLeases&) = delete;

  /// Holds the folder of the session in such a name until it is gone.
  void hold(const std::string& name);

 private:
  PieceLeases() = default;
  ~PieceLeases();
  void serve();
  void touch_all();  // with the mutex

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::set<std::string> held_;  // folders
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gamelan::engine::steps
