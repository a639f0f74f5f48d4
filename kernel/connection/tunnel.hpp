// SPDX-License-Identifier: BSD-3-Clause
// A connection through a program that passes bytes between its standard input and output and rank 0 (ssh -W,
// or srun with our relay proxy). ZeroMQ reaches it by a socket in a private directory. The socket accepts one
// connection, of this process only, and is then removed, so no other user of a shared login node can use the
// tunnel. The program ends with the tunnel.
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kernel/connection/socket.hpp"

namespace gamelan::kernel {

class Tunnel {
 public:
  /// `directory` must exist and be private. The program is started when ZeroMQ connects. Throws Error{os}.
  Tunnel(std::vector<std::string> command, const std::string& directory);
  /// Ends the program, within about a second.
  ~Tunnel();
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  /// The address to which ZeroMQ connects, once.
  std::string address() const { return "ipc://" + path_; }
  Socket::Traffic traffic() const { return {received_.load(), sent_.load()}; }
  /// The last line of the program's standard error, or how it ended; empty while it runs and writes nothing.
  std::string last_message() const;

 private:
  void listen(const std::string& directory);
  void run();
  int accept_ourselves();
  bool start_program();
  void pass_bytes(int connection);
  void read_stderr();
  void end_program();
  void remove_socket();

  const std::vector<std::string> command_;
  std::string folder_, path_;
  int listener_ = -1, stop_ = -1;
  int pid_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;  // our ends of the program's pipes
  std::atomic<std::uint64_t> received_{0}, sent_{0};
  mutable std::mutex mutex_;  // guards stderr_text_
  std::string stderr_text_;
  std::thread thread_;
};

}  // namespace gamelan::kernel
