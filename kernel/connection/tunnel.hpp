// SPDX-License-Identifier: BSD-3-Clause
// A connection through a program that passes bytes on between its standard input and output and rank 0 (ssh
// -W, srun with our relay). ZeroMQ reaches it by a socket in a private directory that takes one connection,
// of this process only, and is removed then: nobody else on a shared login node can use the tunnel. The
// program ends with the tunnel.
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
  /// `directory`: exists and is private. The program is started when the connection comes. Throws Error{os}.
  Tunnel(std::vector<std::string> command, const std::string& directory);
  /// Ends the program, within about a second.
  ~Tunnel();
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  /// Where to connect, once.
  std::string address() const { return "ipc://" + path_; }
  Socket::Traffic traffic() const { return {received_.load(), sent_.load()}; }
  /// What the program said on stderr last, or how it ended; empty while it runs and is quiet.
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
  int input_ = -1, output_ = -1, errors_ = -1;  // of the program, our ends
  std::atomic<std::uint64_t> received_{0}, sent_{0};
  mutable std::mutex mutex_;  // guards stderr_text_
  std::string stderr_text_;
  std::thread thread_;
};

}  // namespace gamelan::kernel
