// SPDX-License-Identifier: BSD-3-Clause
// The connection file, by which a client finds rank 0 and proves that it may connect. Only text <-> struct,
// and the rules for a file that may be trusted. Rank 0 writes it (engine/serving/server.cpp);
// kernel/connection and kernel/gamelan/_launch read it, the latter as JSON with the same field names.
#pragma once
#include <string>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::protocol {

/// The fields of the connection file.
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
  std::string program;  ///< path of the engine program on its host, which can be a relay proxy; may be empty
};

std::string to_json(const Connection& connection);
/// Throws Error{value} that says which field is missing or wrong.
Connection connection_from_json(const std::string& text);
/// Reads a connection file. Throws Error{os} when the file is absent, belongs to another user, or is open to
/// others (mode & 077). Throws Error{value} when its text is not a connection.
Connection read_connection(const std::string& path);
/// Writes atomically: a temporary file with mode 0600, fsync, rename. Throws Error{os}.
void write_connection(const std::string& path, const Connection& connection);

}  // namespace gamelan::protocol
