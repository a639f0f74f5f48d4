// SPDX-License-Identifier: BSD-3-Clause
// One engine process: reads the options, starts MPI, and runs this rank (process/rank.cpp). --help, --version
// and --relay need no MPI.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "engine/options.hpp"
#include "engine/process/end_job.hpp"
#include "engine/process/environment.hpp"
#include "engine/process/library_settings.hpp"
#include "engine/process/rank.hpp"
#include "engine/process/time_limit.hpp"
#include "engine/process/whereabouts.hpp"
#include "engine/ranks/comm.hpp"
#include "engine/serving/relay_proxy.hpp"
#include "protocol/codec.hpp"

namespace gamelan::engine {
namespace {

constexpr int exit_usage = 2;

int run_engine(int argc, char** argv, const Options& options) {
  Comm comm(&argc, &argv);
  try {
    run_rank(options, comm);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    end_job(comm, error);  // at the start
  }
}

}  // namespace
}  // namespace gamelan::engine

int main(int argc, char** argv) {
  using namespace gamelan::engine;
  choose_library_settings(argv);
  watch_time_limit();
  tell_whereabouts_when_asked();
  const std::string rank = rank_from_launcher();
  const bool speaks = rank == "0";  // so that one message is printed, not one from every rank
  Options options;
  try {
    options = parse_options(std::vector<std::string>(argv + 1, argv + argc), environment_variable);
    if (options.wants_help && speaks) std::fputs(help_text().c_str(), stdout);
    if (options.wants_version && speaks)
      std::printf("gamelan-engine %s, protocol %d, op table %016llx, %s\n", GAMELAN_VERSION,
                  gamelan::protocol::protocol_version,
                  static_cast<unsigned long long>(gamelan::protocol::fingerprint()), mpi_library().c_str());
    if (options.wants_help || options.wants_version) return EXIT_SUCCESS;
    if (!options.relay.empty()) return run_relay_proxy(options.relay);
    end_with_launcher();
    if (!options.log_dir.empty()) redirect_output(options.log_dir, rank);
    require_pmix(options.expect_ranks);
  } catch (const gamelan::protocol::Error& error) {
    if (speaks) std::fprintf(stderr, "gamelan-engine: %s\n", error.what());
    if (!speaks) std::this_thread::sleep_for(std::chrono::seconds(1));  // the first to leave ends the job
    return exit_usage;
  }
  return run_engine(argc, argv, options);
}
