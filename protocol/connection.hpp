// SPDX-License-Identifier: BSD-3-Clause
// The connection file: how a client finds rank 0 and proves who it is. Text <-> struct only, and the rules
// for a file that may be trusted; written by engine/serving/server, read by kernel/connection/client and by
// launch.py (JSON, same field names).
#pragma once
#include <string>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::protocol {

struct Connection {
  int version = protocol_version;
  std::string session;   ///< name chosen by the launcher
  std::string host;      ///< of rank 0
  std::int64_t pid = 0;  ///< of rank 0
  int ranks = 0;
  std::vector<std::string>
      addresses;  ///< ZeroMQ endpoints, tried in order: ipc:///dir/engine.sock or tcp://ip:port
  std::string server_public, client_public, client_secret;  ///< CURVE keys in Z85, empty over ipc
  std::string slurm_job_id;                                 ///< empty outside Slurm
  std::string fingerprint;                                  ///< protocol::fingerprint() in hex
  std::string program;  ///< path of the engine on its host, which can relay; may be empty
};

std::string to_json(const Connection& connection);
/// Throws Error{value} saying which field is missing or wrong.
Connection connection_from_json(const std::string& text);
/// Reads a file; throws Error{os} when it is absent, not ours, or open to others (mode & 077), Error{value}
/// when its text is not a connection.
Connection read_connection(const std::string& path);
/// Writes atomically (temporary file 0600, fsync, rename). Throws Error{os}.
void write_connection(const std::string& path, const Connection& connection);

}  // namespace gamelan::protocol
