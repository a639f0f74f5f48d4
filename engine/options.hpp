// SPDX-License-Identifier: BSD-3-Clause
// The options of an engine: one table of flags and environment variables, from which parsing and --help both
// come. Pure: it reads argv and a look-up function. Called by main.cpp before MPI starts.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gamelan::engine {

enum class Transport : std::uint8_t { ipc, tcp };

/// The options of one engine process.
struct Options {
  std::string connection_file;  ///< where rank 0 says how to reach it; required
  Transport transport = Transport::ipc;
  std::string session;             ///< name shown to users; default: stem of the connection file
  std::string bind = "0.0.0.0";    ///< tcp only: interface address
  std::int64_t heap_bytes = 0;     ///< per rank, 0 = the engine chooses from what the machine has
  double idle_timeout_s = 30;      ///< leave after so long without a client, 0 = never
  double lease_s = 600;            ///< a client's arrays go when it was not heard for so long, 0 = never
  double node_timeout_s = 10;      ///< after so long without a message another node counts as lost
  int node_fanout = 8;             ///< children of a node in the tree of nodes
  bool has_lanes = true;           ///< offer shared memory to clients of the same machine
  int expect_ranks = 0;            ///< refuse to run with another MPI size, 0 = any
  std::string isa = "avx512";      ///< the highest instruction set to use: baseline, avx2, avx512
  std::string ask_ahead = "auto";  ///< does a program ask for memory ahead: auto, off, on
  std::string compile = "hot";     ///< which programs become machine code: off, hot, always (for tests)
  std::string balance = "on";      ///< do ranks of a node help each other: off, on, always (for tests)
  std::string tiling = "on";   ///< are sweeps over large arrays tiled in time: off, on, always (for tests)
  bool has_huge_pages = true;  ///< give arrays huge pages where the system has them
  std::string cores = "own";   ///< does each rank run on cores of its own: shared, own
  std::string routines;        ///< paths of shared libraries, separated by colons
  std::string log_dir;         ///< stderr of rank r goes to log_dir/rank-r.log; empty = leave it alone
  std::string relay;           ///< HOST:PORT: be the relay proxy of a tunnel to it, not an engine
  bool wants_help = false;
  bool wants_version = false;
};

/// Returns the value of a variable; nullptr when it is not set (std::getenv, or a map in tests).
using Environment = std::function<const char*(const char*)>;

/// Flags win over variables. Throws Error{value} with the option, the given value and the possible ones.
Options parse_options(const std::vector<std::string>& arguments, const Environment& environment);
/// The text of --help, printed from the table.
std::string help_text();
/// "10m", "24h", "1.5d" or plain seconds, in seconds; throws Error{value}.
double parse_seconds(const std::string& text);
/// "512M", "2.5G" or plain bytes; throws Error{value}.
std::int64_t parse_bytes(const std::string& text);

}  // namespace gamelan::engine
