// SPDX-License-Identifier: BSD-3-Clause
// An engine's environment variables and its log file. No MPI.
#pragma once
#include <string>

namespace gamelan::engine {

/// Value of an environment variable; nullptr when it is not set.
const char* environment_variable(const char* name);
/// The rank, read from the launcher's environment; "0" for a process that was started by hand. It is needed
/// before MPI_Init, and only MPI could tell it reliably.
std::string rank_from_launcher();
/// Sends standard output and standard error to DIRECTORY/rank-RANK.log. Throws Error{os}.
void redirect_output(const std::string& directory, const std::string& rank);

}  // namespace gamelan::engine
