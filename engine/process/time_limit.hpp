// SPDX-License-Identifier: BSD-3-Clause
// Slurm's warning before a job's time limit: the signal SIGUSR1 (deploy/slurm/gamelan.sbatch asks for it).
// The engines note the time and go on. Clients see it in the status.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace gamelan::engine {

/// From now on SIGUSR1 is noted instead of ending the process.
void watch_time_limit();
/// Adds the field time_limit_signal (seconds since 1970) to `status` when the warning has come, and returns
/// it.
nlohmann::json with_time_limit(nlohmann::json status);

}  // namespace gamelan::engine
