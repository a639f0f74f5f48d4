// SPDX-License-Identifier: BSD-3-Clause
// The option table and its two readers: the parser and --help. To add an option, add a row.
#include "engine/options.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "engine/option_words.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine {
namespace {

using protocol::Error;
using protocol::ErrorKind;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::value, message); }

/// The whole text as a number of [least, most]; `from_chars` for integers and doubles alike.
template <typename Number>
Number parse_number(const std::string& text, Number least, Number most, const std::string& expected) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || !(value >= least) || !(value <= most))
    refuse("got \"" + text + "\", expected " + expected);
  return value;
}

struct Row {
  const char* flag;
  const char* argument;  ///< nullptr: the flag takes none
  const char* variable;  ///< nullptr: no environment variable
  const char* help;
  void (*set)(Options&, const std::string&);
};

constexpr double longest_timeout_s = 1e9;
constexpr int most_ranks = 1 << 20;

const Row rows[] = {
    {"--connection-file", "PATH", "GAMELAN_CONNECTION_FILE",
     "where rank 0 writes how to reach it (mode 0600; removed at exit). Required",
     [](Options& options, const std::string& text) { options.connection_file = text; }},
    {"--transport", "ipc|tcp", "GAMELAN_TRANSPORT",
     "ipc: a socket beside the connection file, one machine; tcp: encrypted, any machine (default ipc)",
     [](Options& options, const std::string& text) {
       if (text != "ipc" && text != "tcp") refuse("got \"" + text + "\", expected ipc or tcp");
       options.transport = text == "ipc" ? Transport::ipc : Transport::tcp;
     }},
    {"--bind", "ADDRESS", "GAMELAN_BIND",
     "with tcp: the interface to listen on (default 0.0.0.0, all of them)",
     [](Options& options, const std::string& text) {
       if (text.empty()) refuse("got an empty address, expected an IPv4 address of this machine");
       options.bind = text;
     }},
    {"--session", "NAME", "GAMELAN_SESSION", "name of the session (default: that of the connection file)",
     [](Options& options, const std::string& text) { options.session = text; }},
    {"--heap-bytes", "BYTES", "GAMELAN_HEAP",
     "array memory of one rank, as 512M or 4G; 0 = from what the machine has (default 0)",
     [](Options& options, const std::string& text) { options.heap_bytes = parse_bytes(text); }},
    {"--idle-timeout", "SECONDS", "GAMELAN_IDLE_TIMEOUT",
     "leave after this time without a client; 0 = stay (default 30)",
     [](Options& options, const std::string& text) {
       options.idle_timeout_s = parse_number(text, 0.0, longest_timeout_s, "seconds, 0 or more");
     }},
    {"--lease", "TIME", "GAMELAN_LEASE",
     "free the arrays of a client of which nothing was heard for this time, as 90s, 10m or 24h; 0 = never "
     "(default 10m)",
     [](Options& options, const std::string& text) { options.lease_s = parse_seconds(text); }},
    {"--expect-ranks", "N", "GAMELAN_EXPECT_RANKS",
     "refuse to run unless MPI has this many ranks; 0 = any (default 0)",
     [](Options& options, const std::string& text) {
       options.expect_ranks = parse_number(text, 0, most_ranks, "a number of ranks, 0 or more");
     }},
    {"--node-timeout", "SECONDS", "GAMELAN_NODE_TIMEOUT",
     "a node that is silent for this time counts as lost, and the job ends (default 10)",
     [](Options& options, const std::string& text) {
       options.node_timeout_s = parse_number(text, 1.0, longest_timeout_s, "seconds, 1 or more");
     }},
    {"--node-fanout", "N", "GAMELAN_NODE_FANOUT",
     "a node passes messages on to this many others, and each of them likewise (default 8)",
     [](Options& options, const std::string& text) {
       options.node_fanout = parse_number(text, 1, most_ranks, "a number of nodes, 1 or more");
     }},
    {"--lanes", "off|on", "GAMELAN_LANES",
     "on: clients on rank 0's machine send requests through shared memory, not through the socket (default "
     "on)",
     [](Options& options, const std::string& text) {
       if (text != "off" && text != "on") refuse("got \"" + text + "\", expected off or on");
       options.has_lanes = text == "on";
     }},
    {"--balance", "off|on", "GAMELAN_BALANCE",
     "on: a rank that is done with its part of a pass helps other ranks of its node (default on)",
     [](Options& options, const std::string& text) {
       choose("balance", text);
       options.balance = text;
     }},
    {"--isa", "baseline|avx2|avx512", "GAMELAN_ISA",
     "the highest instruction set to use; where a machine lacks it, the highest that all machines have "
     "(default avx512)",
     [](Options& options, const std::string& text) {
       choose("isa", text);
       options.isa = text;
     }},
    {"--ask-ahead", "auto|off|on", "GAMELAN_ASK_AHEAD",
     "on: passes read one stream of memory and ask for it ahead; off: several streams, left to the processor "
     "(default auto: on where it has AVX-512)",
     [](Options& options, const std::string& text) {
       if (text != "auto" && text != "off" && text != "on")
         refuse("got \"" + text + "\", expected auto, off or on");
       options.ask_ahead = text;
     }},
    {"--compile", "off|hot", "GAMELAN_COMPILE",
     "hot: element-wise programs that have run often become machine code, where the processors have AVX2 or "
     "AVX-512 (default hot)",
     [](Options& options, const std::string& text) {
       choose("compile", text);
       options.compile = text;
     }},
    {"--tiling", "off|on", "GAMELAN_TILING",
     "on: several sweeps over arrays larger than the cache go through memory once (default on)",
     [](Options& options, const std::string& text) {
       choose("tiling", text);
       options.tiling = text;
     }},
    {"--cores", "shared|own", "GAMELAN_CORES",
     "own: where there are as many cores as ranks, each rank keeps to its own (default own)",
     [](Options& options, const std::string& text) {
       if (text != "shared" && text != "own") refuse("got \"" + text + "\", expected shared or own");
       options.cores = text;
     }},
    {"--huge-pages", "off|on", "GAMELAN_HUGE_PAGES",
     "on: arrays lie in pages of 2 MiB, where the system has them for the ranks of one node (default on)",
     [](Options& options, const std::string& text) {
       if (text != "off" && text != "on") refuse("got \"" + text + "\", expected off or on");
       options.has_huge_pages = text == "on";
     }},
    {"--routines", "PATH[:PATH]", "GAMELAN_ROUTINES",
     "shared libraries whose functions a notebook may call with its arrays as Global Arrays (default none)",
     [](Options& options, const std::string& text) { options.routines = text; }},
    {"--log", "DIR", "GAMELAN_LOG", "write the stderr of rank r to DIR/rank-r.log (default: leave it alone)",
     [](Options& options, const std::string& text) { options.log_dir = text; }},
    {"--relay", "HOST:PORT", nullptr,
     "run as a relay, not as an engine: pass bytes between standard input and output and that port",
     [](Options& options, const std::string& text) {
       if (text.rfind(':') == std::string::npos || text.rfind(':') + 1 == text.size())
         refuse("got \"" + text + "\", expected HOST:PORT");
       options.relay = text;
     }},
    {"--help", nullptr, nullptr, "print this text",
     [](Options& options, const std::string&) { options.wants_help = true; }},
    {"--version", nullptr, nullptr, "print the version of the engine and of its protocol",
     [](Options& options, const std::string&) { options.wants_version = true; }},
};

const Row* find_row(const std::string& flag) {
  for (const Row& row : rows)
    if (flag == row.flag) return &row;
  return nullptr;
}

void apply(const Row& row, const std::string& source, Options& options, const std::string& text) {
  try {
    row.set(options, text);
  } catch (const Error& error) {
    refuse(source + ": " + error.what());
  }
}

}  // namespace

std::int64_t parse_bytes(const std::string& text) {
  const std::string expected = "bytes, with a suffix K, M, G or T if you like: 512M, 4G";
  std::string digits = text;
  double unit = 1;
  if (!digits.empty() && (digits.back() == 'B' || digits.back() == 'b')) digits.pop_back();
  if (!digits.empty()) {
    const std::size_t power = std::string("KMGT").find(static_cast<char>(digits.back() & ~0x20));
    if (power != std::string::npos && digits.back() >= 'A') {
      unit = std::pow(1024.0, static_cast<double>(power + 1));
      digits.pop_back();
    }
  }
  constexpr double most_bytes = 9e18;
  double count = 0;
  try {
    count = parse_number(digits, 0.0, most_bytes / unit, expected);
  } catch (const Error&) {
    refuse("got \"" + text + "\", expected " + expected);
  }
  return static_cast<std::int64_t>(count * unit);
}

double parse_seconds(const std::string& text) {
  const std::string expected = "a time, 0 or more, in seconds or with s, m, h or d: 90, 10m, 24h";
  std::string digits = text;
  double unit = 1;
  if (!digits.empty() && digits.back() > '9') {
    const std::string_view letters = "smhd";
    constexpr double units[] = {1, 60, 3'600, 86'400};
    const auto found = letters.find(digits.back());
    if (found == std::string_view::npos) refuse("got \"" + text + "\", expected " + expected);
    unit = units[found];
    digits.pop_back();
  }
  try {
    return parse_number(digits, 0.0, longest_timeout_s / unit, expected) * unit;
  } catch (const Error&) {
    refuse("got \"" + text + "\", expected " + expected);
  }
}

Options parse_options(const std::vector<std::string>& arguments, const Environment& environment) {
  Options options;
  for (const Row& row : rows) {
    const char* value = row.variable ? environment(row.variable) : nullptr;
    if (value && *value) apply(row, std::string("environment variable ") + row.variable, options, value);
  }
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    std::string flag = arguments[index], text;
    const std::size_t equals = flag.find('=');
    const bool is_joined = equals != std::string::npos;
    if (is_joined) {
      text = flag.substr(equals + 1);
      flag.resize(equals);
    }
    const Row* row = find_row(flag);
    if (!row) refuse("unknown option \"" + flag + "\"; gamelan-engine --help lists them");
    if (!row->argument && is_joined) refuse(flag + " takes no value, got \"" + text + "\"");
    if (row->argument && !is_joined) {
      if (index + 1 == arguments.size()) refuse(flag + " needs a value: " + flag + " " + row->argument);
      text = arguments[++index];
    }
    apply(*row, flag, options, text);
  }
  if (options.wants_help || options.wants_version || !options.relay.empty()) return options;
  if (options.connection_file.empty())
    refuse("--connection-file PATH is required: gamelan-engine is started by `gamelan engines start`");
  const std::filesystem::path path(options.connection_file);
  if (!path.has_filename())
    refuse("--connection-file: got \"" + path.string() + "\", expected the path of a file");
  if (options.session.empty()) options.session = path.stem().string();
  return options;
}

std::string help_text() {
  std::ostringstream text;
  text << "usage: mpiexec -np N gamelan-engine --connection-file PATH [options]\n\n"
          "The MPI side of Gamelan: N ranks that hold arrays and compute on them for one client.\n"
          "Usually started for you, by `gamelan engines start` or by the first large array.\n\n"
          "options (and the environment variable that sets the same; the flag wins):\n";
  for (const Row& row : rows) {
    text << "  " << row.flag;
    if (row.argument) text << " " << row.argument;
    text << "\n      " << row.help << "\n";
    if (row.variable) text << "      [" << row.variable << "]\n";
  }
  return text.str();
}

}  // namespace gamelan::engine
