// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/piece_leases.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "engine/steps/files/no_signals.hpp"
#include "engine/steps/files/piece_files.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr auto between_touches = std::chrono::seconds(60);

}  // namespace

PieceLeases& PieceLeases::of_process() {
  static PieceLeases all;
  return all;
}

void PieceLeases::hold(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  held_.insert(piece_folder(std::filesystem::path(name).begin()->string()).string());
  touch_all();
  if (held_.empty() || thread_.joinable()) return;
  const NoSignals guard;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // No more threads are allowed here. Then the folder stays an hour after this.
  }
}

void PieceLeases::touch_all() {
  std::erase_if(held_, [](const std::string& folder) {
    return ::utimensat(AT_FDCWD, folder.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0;
  });
}

void PieceLeases::serve() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    touch_all();
    wakes_.wait_for(lock, between_touches);
  }
}

PieceLeases::~PieceLeases() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wakes_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace gamelan::engine::steps
