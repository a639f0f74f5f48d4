// SPDX-License-Identifier: BSD-3-Clause
// bench_reference CASE key=value ... [runs=N]: one reference program as a worker of the bench. Rank 0 reads a
// JSON line per order from stdin and answers with one on stdout; the other ranks sleep meanwhile, so that
// competitors in the same harness have the cores. With runs=N it runs N times and ends, without a harness.
#include "tests/bench/reference/driver.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace gamelan::bench {

Parameters::Parameters(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const auto cut = argument.find('=');
    if (cut == std::string::npos)
      throw std::invalid_argument("[bench_reference] expected key=value: got " + argument);
    values_[argument.substr(0, cut)] = {argument.substr(cut + 1)};
  }
}

std::int64_t Parameters::integer(const std::string& key, std::int64_t otherwise, std::int64_t least) const {
  const std::string given = text(key, std::to_string(otherwise));
  std::size_t used = 0;
  std::int64_t value = 0;
  try {
    value = std::stoll(given, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != given.size() || value < least) {
    throw std::invalid_argument("[bench_reference] " + key + ": got " + given +
                                ", expected an integer of at least " + std::to_string(least));
  }
  return value;
}

std::string Parameters::text(const std::string& key, const std::string& otherwise) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return otherwise;
  found->second.is_used = true;
  return found->second.text;
}

std::string Parameters::unused() const {
  for (const auto& [key, value] : values_) {
    if (!value.is_used) return key;
  }
  return "";
}

namespace {

using nlohmann::json;

const std::map<std::string, Made (*)(const World&, const Parameters&)> cases = {
    {"stream", make_stream},   {"reduce", make_reduce},
    {"scan", make_scan},       {"gather", make_gather},
    {"scatter", make_scatter}, {"argsort", make_argsort},
    {"laplace", make_laplace}, {"laplace_small", make_laplace_small},
    {"sweeps", make_sweeps},   {"jacobi_stencil", make_jacobi_stencil},
    {"jacobi", make_jacobi},   {"black_scholes", make_black_scholes},
    {"fractal", make_fractal}, {"nbody", make_nbody},
    {"knn", make_knn},         {"lbm2d", make_lbm2d},
    {"lbm3d", make_lbm3d},     {"cg", make_cg},
    {"kmeans", make_kmeans},   {"matmul", make_matmul},
};

enum Order : int { order_quit, order_run, order_bad };

/// The next line of the harness; the end of the input means quit.
Order read_order() {
  std::string line;
  if (!std::getline(std::cin, line)) return order_quit;
  const json order = json::parse(line, nullptr, false);
  const std::string what = order.is_object() ? order.value("do", "") : "";
  return what == "run" ? order_run : what == "quit" ? order_quit : order_bad;
}

/// Rank 0's order on every rank. The others test and sleep, longer and longer: a plain broadcast would spin
/// on a core that a competitor needs, and thousands of short sleeps a second disturb it as well.
Order agree_on_order(const World& world) {
  int order = world.rank() == 0 ? read_order() : order_quit;
  MPI_Request request;
  MPI_Ibcast(&order, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  constexpr std::chrono::microseconds longest_nap{50'000};
  std::chrono::microseconds nap{200};
  for (int is_done = 0; !is_done;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done) break;
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, longest_nap);
  }
  return static_cast<Order>(order);
}

json number(double value) {
  if (std::nearbyint(value) == value && std::abs(value) < 0x1p53) return static_cast<std::int64_t>(value);
  return value;
}

json timed_run(const World& world, Case& program) {
  program.prepare();
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  program.run();
  const std::chrono::duration<double> mine = std::chrono::steady_clock::now() - start;
  json answer = {{"seconds", world.max(mine.count())}, {"result", json::array()}, {"stats", json::object()}};
  for (const double each : program.result()) answer["result"].push_back(number(each));
  return answer;
}

void serve(const World& world, const std::string& name, const Parameters& parameters) {
  const auto found = cases.find(name);
  if (found == cases.end()) throw std::invalid_argument("[bench_reference] no such case: got " + name);
  std::int64_t runs = parameters.integer("runs", 0, 0);
  const bool is_worker = runs == 0;
  const Made program = found->second(world, parameters);
  if (const std::string key = parameters.unused(); !key.empty()) {
    throw std::invalid_argument("[bench_reference] " + name + " has no parameter " + key);
  }
  const auto say = [&](const json& line) {
    if (world.rank() == 0) std::cout << line.dump() << std::endl;
  };
  say({{"ready", true}, {"ranks", world.size()}, {"compiler", "g++ " __VERSION__}});
  while (is_worker || runs-- > 0) {
    const Order order = is_worker ? agree_on_order(world) : order_run;
    if (order == order_quit) break;
    say(order == order_run ? timed_run(world, *program)
                           : json{{"error", "expected {\"do\": \"run\"} or {\"do\": \"quit\"}"}});
  }
}

}  // namespace

}  // namespace gamelan::bench

int main(int count, char** arguments) {
  using namespace gamelan::bench;
  MPI_Init(&count, &arguments);
  {
    const World world;
    try {
      if (count < 2) throw std::invalid_argument("usage: bench_reference CASE key=value ... [runs=N]");
      serve(world, arguments[1], Parameters({arguments + 2, arguments + count}));
    } catch (const std::exception& error) {
      // A rank may be alone with its error, so none waits for the others.
      if (world.rank() == 0) std::cout << nlohmann::json{{"error", error.what()}}.dump() << std::endl;
      std::cerr << "rank " << world.rank() << ": " << error.what() << std::endl;
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
}
