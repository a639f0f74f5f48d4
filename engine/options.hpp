// SPDX-License-Identifier: BSD-3-Clause
// What an engine can be told: one table of flags and environment variables, from which parsing and --help
// both come. Pure: reads argv and a look-up function, touches nothing. Called by main.cpp before MPI starts.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gamelan::engine {

enum class Transport : std::uint8_t { ipc, tcp };

struct Options {
  std::string connection_file;  ///< where rank 0 says how to reach it; required
  Transport transport = Transport::ipc;
  std::string session;           ///< name shown to users; default: stem of the connection file
  std::string bind = "0.0.0.0";  ///< tcp only: interface address
  std::int64_t heap_bytes = 0;   ///< per rank, 0 = the engine chooses from what the machine has
  double idle_timeout_s = 30;    ///< leave after so long without a client, 0 = never
  double node_timeout_s = 10;    ///< another node is lost after so long without a word
  int node_fanout = 8;           ///< how many nodes a node hands messages on to
  int expect_ranks = 0;          ///< refuse to run with another MPI size, 0 = any
  std::string compile = "hot";   ///< which programs become machine code: off, hot, always (for tests)
  std::string balance = "on";    ///< do ranks of a node help each other: off, on, always (for tests)
  std::string routines;          ///< paths of shared libraries, separated by colons
  std::string log_dir;           ///< stderr of rank r goes to log_dir/rank-r.log; empty = leave it alone
  std::string relay;             ///< HOST:PORT: be the far end of a tunnel to it, and no engine
  bool wants_help = false;
  bool wants_version = false;
};

/// Looks a variable up; returns nullptr when it is not set (std::getenv, or a map in tests).
using Environment = std::function<const char*(const char*)>;

/// Flags win over variables. Throws Error{value} naming the option, what was given and what would do.
Options parse_options(const std::vector<std::string>& arguments, const Environment& environment);
/// The text of --help, printed from the table.
std::string help_text();
/// "512M", "2.5G" or plain bytes; throws Error{value}.
std::int64_t parse_bytes(const std::string& text);

}  // namespace gamelan::engine
