// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/rank.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/distribution/heap.hpp"
#include "engine/host_name.hpp"
#include "engine/nodes/board.hpp"
#include "engine/option_words.hpp"
#include "engine/process/end_job.hpp"
#include "engine/process/environment.hpp"
#include "engine/process/loops.hpp"
#include "engine/process/shared_bell.hpp"
#include "engine/process/time_limit.hpp"
#include "engine/ranks/own_cores.hpp"
#include "engine/serving/server.hpp"
#include "engine/session/session.hpp"
#include "engine/steps/linalg/blas_threads.hpp"
#include "engine/steps/routines.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "protocol/codec.hpp"
#include "protocol/connection.hpp"

namespace gamelan::engine {
namespace {

using protocol::Error;
using protocol::ErrorKind;

protocol::Connection describe(const Options& options, const Comm& comm) {
  protocol::Connection connection;
  connection.session = options.session;
  connection.host = host_name();
  connection.pid = getpid();
  connection.ranks = comm.size();
  if (const char* job = environment_variable("SLURM_JOB_ID")) connection.slurm_job_id = job;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(protocol::fingerprint()));
  connection.fingerprint = text;
  std::error_code ignored;
  connection.program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  return connection;
}

#ifdef OPEN_MPI
constexpr const char* fitting_launcher = "under Slurm: srun --mpi=pmix; otherwise mpiexec.openmpi";
#else
constexpr const char* fitting_launcher =
    "under Slurm: srun --mpi=pmi2, on a Cray its own; otherwise MPICH's mpiexec";
#endif

void check_rank_count(const Options& options, const Comm& comm) {
  if (options.expect_ranks != 0 && options.expect_ranks != comm.size())
    throw Error(ErrorKind::os, "MPI started " + std::to_string(comm.size()) + " ranks, expected " +
                                   std::to_string(options.expect_ranks) +
                                   ": the launcher and the MPI library, " + mpi_library() +
                                   ", do not fit together (" + fitting_launcher + ")");
}

/// The users' libraries (--routines). Collective.
void load_routines(const Options& options, Comm& comm) {
  std::optional<Error> problem;
  try {
    routines::load(options.routines);
  } catch (const Error& error) {
    problem = error;
  }
  comm.throw_together(problem);
  auto sums = routines::sums();
  if (sums.empty()) return;
  protocol::Bytes bytes(sums.size() * sizeof(std::uint32_t));
  std::memcpy(bytes.data(), sums.data(), bytes.size());
  bytes = comm.broadcast(std::move(bytes));
  std::memcpy(sums.data(), bytes.data(), std::min(bytes.size(), sums.size() * sizeof(std::uint32_t)));
  routines::set_sums(sums);
}

/// The answer to a client's Hello.
nlohmann::json hello_info(const Options& options, const Comm& comm, std::size_t heap_bytes) {
  return {{"session", options.session},
          {"ranks", comm.size()},
          {"host", host_name()},
          {"pid", getpid()},
          {"heap_bytes_per_rank", heap_bytes},
          {"one_node", comm.is_one_node()},
          {"blas_threads", steps::has_blas_threads()},
          {"version", GAMELAN_VERSION},
          {"mpi", mpi_library()},
          {"idle_timeout_seconds", options.idle_timeout_s},
          {"lease_seconds", options.lease_s},
          {"routine_sums", routines::sums()}};
}

/// What heartbeats say of ranks that are stopped: nothing where none is.
nlohmann::json in_words(const std::vector<nodes::StoppedRank>& stopped) {
  auto told = nlohmann::json::array();
  for (const auto& each : stopped)
    told.push_back(
        {{"rank", each.rank}, {"process", each.process_id}, {"host", each.host}, {"seconds", each.for_s}});
  return stopped.empty() ? nlohmann::json::object() : nlohmann::json{{"stopped", told}};
}

/// Rank 0: opens the server; returns when all ranks know that it listens. Collective with the other ranks'
/// throw_together.
std::unique_ptr<Server> open_server(const Options& options, Comm& comm, const ServerCallbacks& callbacks) {
  std::unique_ptr<Server> server;
  std::optional<Error> problem;
  try {
    server = std::make_unique<Server>(options, describe(options, comm), callbacks);
  } catch (const Error& error) {
    problem = error;
  }
  comm.throw_together(problem);
  return server;
}

}  // namespace

void run_rank(const Options& options, Comm& comm) {
  check_rank_count(options, comm);
  load_routines(options, comm);
  const std::size_t heap_bytes = options.heap_bytes ? static_cast<std::size_t>(options.heap_bytes)
                                                    : distribution::Heap::default_bytes(comm);
  distribution::Heap heap(comm, heap_bytes, options.has_huge_pages);
  Board board(comm, heap, {.fanout = options.node_fanout, .silence_limit_s = options.node_timeout_s});
  tiles::limit_isa(static_cast<tiles::Isa>(choose("isa", options.isa)));
  if (options.ask_ahead != "auto") tiles::set_asks_ahead(options.ask_ahead == "on");
  Session session(comm, heap, board);
  session.set_defaults(
      {{"balance", options.balance}, {"compile", options.compile}, {"tiling", options.tiling}});
  if (comm.rank() != 0) {
    comm.throw_together(std::nullopt);  // throws on all ranks when rank 0 could not listen
    try {
      const SharedBell bell(comm, board, {});
      keep_to_own_cores(comm, options.cores == "own");
      return run_worker_loop(board, session);
    } catch (const std::exception& error) {
      end_job(comm, error);
    }
  }
  const ServerCallbacks callbacks{
      .heartbeat = [&session] { return with_time_limit(session.heartbeat()); },
      .stopped = [&board] { return in_words(board.stopped_ranks()); },
      .status = [&session] { return with_time_limit(session.status()); },
      .hello_info = [text = hello_info(options, comm, heap_bytes).dump()] { return text; },
      .cancel = [&board](std::uint64_t) { board.request_cut(); }};
  const std::unique_ptr<Server> server = open_server(options, comm, callbacks);
  board.on_lost([&server](const std::string& cause) { server->leave(cause); });
  try {
    const SharedBell bell(comm, board, server->lane_offer());
    keep_to_own_cores(comm, options.cores == "own");  // the threads of server and board go anywhere
    run_root_loop(*server, board, session);
  } catch (const std::exception& error) {
    end_job(comm, error, server.get());
  }
  board.on_lost({});
}

}  // namespace gamelan::engine
