// SPDX-License-Identifier: BSD-3-Clause
// One engine process: starts MPI and Global Arrays, then every rank executes what rank 0's server receives,
// in order, until a client says Shutdown or no client is heard any more. Nothing else is decided here.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/distribution/heap.hpp"
#include "engine/host_name.hpp"
#include "engine/nodes/board.hpp"
#include "engine/options.hpp"
#include "engine/ranks/comm.hpp"
#include "engine/ranks/exit_soon.hpp"
#include "engine/serving/relay_proxy.hpp"
#include "engine/serving/server.hpp"
#include "engine/session/session.hpp"
#include "engine/steps/routines.hpp"
#include "protocol/codec.hpp"

namespace gamelan::engine {
namespace {

using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;

constexpr int exit_usage = 2;
constexpr auto idle_turn = std::chrono::milliseconds(500);

const char* variable(const char* name) { return std::getenv(name); }

/// Before MPI_Init only the launcher's variables know the rank; a process started by hand is rank 0.
std::string rank_by_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* value = variable(name)) return value;
  return "0";
}

/// When a launcher last said that the job's time is nearly over, in seconds since 1970; 0 = it has not.
std::atomic<std::int64_t> time_limit_signal{0};

/// Slurm's signal before the time limit (deploy/slurm/gamelan.sbatch asks for USR1): news, and no reason to
/// die.
void on_time_limit(int) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  time_limit_signal.store(now.tv_sec);
}

void hear_time_limit() {
  struct sigaction action {};
  action.sa_handler = on_time_limit;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

/// What is told of the session, and whether the job's end was announced.
nlohmann::json with_time_limit(nlohmann::json told) {
  if (const std::int64_t announced = time_limit_signal.load()) told["time_limit_signal"] = announced;
  return told;
}

void redirect_output(const std::string& directory, const std::string& rank) {
  const std::string path = directory + "/rank-" + rank + ".log";
  if (!std::freopen(path.c_str(), "a", stderr))
    throw Error(ErrorKind::os, "--log: cannot write " + path + ": does the directory exist?");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  setvbuf(stderr, nullptr, _IOLBF, 0);
}

protocol::Connection describe(const Options& options, const Comm& comm) {
  protocol::Connection connection;
  connection.session = options.session;
  connection.host = host_name();
  connection.pid = getpid();
  connection.ranks = comm.size();
  if (const char* job = variable("SLURM_JOB_ID")) connection.slurm_job_id = job;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(protocol::fingerprint()));
  connection.fingerprint = text;
  std::error_code ignored;
  connection.program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  return connection;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string(text, static_cast<std::size_t>(length)).substr(0, std::string(text).find(','));
}

/// Carries a request out on this rank; all ranks come here with the same request. Errors of Configure are the
/// same everywhere; what Session::execute throws is a bug of ours and ends the job.
protocol::Reply obey(Session& session, protocol::Request& request) {
  if (auto* batch = std::get_if<protocol::Batch>(&request)) return session.execute(*batch);
  protocol::Reply reply;
  reply.seq = protocol::sequence(request);
  if (const auto* wanted = std::get_if<protocol::Configure>(&request)) {
    try {
      session.configure(*wanted);
    } catch (const Error& error) {
      return protocol::failed_reply(reply.seq, error.kind(), error.what());
    }
  }
  return reply;
}

bool is_shutdown(const protocol::Request& request) {
  return std::holds_alternative<protocol::Shutdown>(request);
}

void lead(const Options& options, Server& server, Board& board, Session& session) {
  for (;;) {
    std::optional<Server::Incoming> incoming = server.next(idle_turn);
    if (!incoming) {
      if (options.idle_timeout_s <= 0 || server.seconds_since_client() < options.idle_timeout_s) continue;
      std::fprintf(stderr,
                   "gamelan-engine: no client was heard for %.0f s: leaving (--idle-timeout 0 stays)\n",
                   options.idle_timeout_s);
      board.exchange({});
      return;
    }
    board.clear_cut();
    if (server.is_cancelled()) board.request_cut();  // it came between `next` and here
    board.exchange(protocol::pack(incoming->frames));
    server.reply(incoming->client, protocol::encode(obey(session, incoming->request)));
    if (is_shutdown(incoming->request)) return;
  }
}

void follow(Board& board, Session& session) {
  for (;;) {
    const Bytes packed = board.exchange({});
    if (packed.empty()) return;
    protocol::Request request = protocol::decode_request(protocol::unpack(packed));
    obey(session, request);
    if (is_shutdown(request)) return;
  }
}

/// A rank may meet something alone (a GA error, a lost node, a bug): the others wait in a collective, so the
/// job ends as a whole. To be called before anything is destroyed, as destructors of what lies in the heap
/// wait for all ranks.
[[noreturn]] void end_job(const Comm& comm, const std::exception& error, Server* server = nullptr) {
  std::fprintf(stderr, "gamelan-engine: rank %d of %d on %s: %s\n", comm.rank(), comm.size(),
               host_name().c_str(), error.what());
  std::fflush(stderr);
  exit_soon();
  if (server) {
    server->leave(error.what());  // it tells who waits, removes its file, and ends this process
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  MPI_Abort(comm.world(), EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

/// The life of a rank between MPI's start and end. Collective.
void play(const Options& options, Comm& comm) {
  if (options.expect_ranks != 0 && options.expect_ranks != comm.size())
    throw Error(ErrorKind::os,
                "MPI started " + std::to_string(comm.size()) + " ranks, expected " +
                    std::to_string(options.expect_ranks) +
                    ": the launcher and the MPI library do not fit together (under Slurm: srun "
                    "--mpi=pmix; otherwise mpiexec.openmpi)");
  std::optional<Error> unloaded;
  try {
    routines::load(options.routines);
  } catch (const Error& error) {
    unloaded = error;
  }
  comm.throw_together(unloaded);
  const std::size_t heap_bytes =
      options.heap_bytes ? static_cast<std::size_t>(options.heap_bytes) : dist::Heap::default_bytes(comm);
  dist::Heap heap(comm, heap_bytes);
  Board board(comm, heap, {.fanout = options.node_fanout, .silence_limit_s = options.node_timeout_s});
  Session session(comm, heap, board);
  session.configure({0, {{"balance", options.balance}, {"compile", options.compile}}});
  if (comm.rank() != 0) {
    comm.throw_together(std::nullopt);  // rank 0 could not listen: leave together
    try {
      return follow(board, session);
    } catch (const std::exception& error) {
      end_job(comm, error);
    }
  }
  const nlohmann::json hello = {{"session", options.session},
                                {"ranks", comm.size()},
                                {"host", host_name()},
                                {"pid", getpid()},
                                {"heap_bytes_per_rank", heap_bytes},
                                {"one_node", comm.is_one_node()},
                                {"version", GAMELAN_VERSION},
                                {"mpi", mpi_library()},
                                {"idle_timeout_seconds", options.idle_timeout_s}};
  const ServerCallbacks callbacks{.heartbeat = [&session] { return with_time_limit(session.heartbeat()); },
                                  .status = [&session] { return with_time_limit(session.status()); },
                                  .hello_info = [text = hello.dump()] { return text; },
                                  .cancel = [&board](std::uint64_t) { board.request_cut(); }};
  std::unique_ptr<Server> server;
  std::optional<Error> problem;
  try {
    server = std::make_unique<Server>(options, describe(options, comm), callbacks);
  } catch (const Error& error) {
    problem = error;
  }
  comm.throw_together(problem);
  board.on_lost([&server](const std::string& cause) { server->leave(cause); });
  try {
    lead(options, *server, board, session);
  } catch (const std::exception& error) {
    end_job(comm, error, server.get());
  }
  board.on_lost({});
}

int run(int argc, char** argv, const Options& options) {
  Comm comm(&argc, &argv);
  try {
    play(options, comm);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    end_job(comm, error);  // at the start
  }
}

}  // namespace
}  // namespace gamelan::engine

int main(int argc, char** argv) {
  using namespace gamelan::engine;
  hear_time_limit();
  const std::string rank = rank_by_launcher();
  const bool speaks = rank == "0";  // one message, not one from every rank
  Options options;
  try {
    options = parse_options(std::vector<std::string>(argv + 1, argv + argc), variable);
    if (options.wants_help && speaks) std::fputs(help_text().c_str(), stdout);
    if (options.wants_version && speaks)
      std::printf("gamelan-engine %s, protocol %d, op table %016llx\n", GAMELAN_VERSION,
                  gamelan::protocol::protocol_version,
                  static_cast<unsigned long long>(gamelan::protocol::fingerprint()));
    if (options.wants_help || options.wants_version) return EXIT_SUCCESS;
    if (!options.relay.empty()) return serve_tunnel_end(options.relay);
    if (!options.log_dir.empty()) redirect_output(options.log_dir, rank);
  } catch (const gamelan::protocol::Error& error) {
    if (speaks) std::fprintf(stderr, "gamelan-engine: %s\n", error.what());
    return exit_usage;
  }
  return run(argc, argv, options);
}
