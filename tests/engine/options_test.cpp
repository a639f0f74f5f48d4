// SPDX-License-Identifier: BSD-3-Clause
#include "engine/options.hpp"

#include <gtest/gtest.h>

#include <map>

#include "protocol/error.hpp"

namespace gamelan::engine {
namespace {

const char* nothing(const char*) { return nullptr; }

/// The message of the refusal, "" when the arguments are taken.
std::string refusal(const std::vector<std::string>& arguments, const Environment& environment = nothing) {
  try {
    parse_options(arguments, environment);
  } catch (const protocol::Error& error) {
    EXPECT_EQ(error.kind(), protocol::ErrorKind::value);
    return error.what();
  }
  return "";
}

TEST(Options, every_flag_is_taken_in_both_spellings) {
  const std::vector<std::string> spaced = {
      "--connection-file", "/d/s1.json", "--transport",    "tcp",  "--bind",         "127.0.0.1",
      "--heap-bytes",      "2M",         "--idle-timeout", "1.5",  "--expect-ranks", "3",
      "--session",         "s",          "--log",          "/tmp", "--node-timeout", "2.5",
      "--node-fanout",     "3"};
  const std::vector<std::string> joined = {
      "--connection-file=/d/s1.json", "--transport=tcp",  "--bind=127.0.0.1", "--heap-bytes=2M",
      "--idle-timeout=1.5",           "--expect-ranks=3", "--session=s",      "--log=/tmp",
      "--node-timeout=2.5",           "--node-fanout=3"};
  for (const auto& arguments : {spaced, joined}) {
    const Options options = parse_options(arguments, nothing);
    EXPECT_EQ(options.connection_file, "/d/s1.json");
    EXPECT_EQ(options.transport, Transport::tcp);
    EXPECT_EQ(options.bind, "127.0.0.1");
    EXPECT_EQ(options.heap_bytes, 2 << 20);
    EXPECT_EQ(options.idle_timeout_s, 1.5);
    EXPECT_EQ(options.expect_ranks, 3);
    EXPECT_EQ(options.session, "s");
    EXPECT_EQ(options.log_dir, "/tmp");
    EXPECT_EQ(options.node_timeout_s, 2.5);
    EXPECT_EQ(options.node_fanout, 3);
  }
}

TEST(Options, defaults_are_those_of_the_help) {
  const Options options = parse_options({"--connection-file=dir/name.json"}, nothing);
  EXPECT_EQ(options.transport, Transport::ipc);
  EXPECT_EQ(options.idle_timeout_s, 30);
  EXPECT_EQ(options.session, "name");
  EXPECT_NE(help_text().find("(default 30)"), std::string::npos);
  EXPECT_EQ(options.node_fanout, 8);
  EXPECT_NE(help_text().find("(default 8)"), std::string::npos);
}

TEST(Options, flags_win_over_variables) {
  const std::map<std::string, std::string> variables = {{"GAMELAN_HEAP", "1G"},
                                                        {"GAMELAN_IDLE_TIMEOUT", "7"}};
  const auto look_up = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const Options options = parse_options({"--connection-file=c", "--idle-timeout", "9"}, look_up);
  EXPECT_EQ(options.heap_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(options.idle_timeout_s, 9);
}

TEST(Options, refusals_name_the_option_and_what_would_do) {
  EXPECT_NE(refusal({"--connection-file=c", "--ranks", "3"}).find("unknown option \"--ranks\""),
            std::string::npos);
  EXPECT_NE(refusal({}).find("--connection-file PATH is required"), std::string::npos);
  EXPECT_NE(refusal({"--connection-file"}).find("needs a value"), std::string::npos);
  EXPECT_NE(refusal({"--connection-file=c", "--isa=sse"})
                .find("--isa: got 'sse', expected baseline, avx2 or avx512"),
            std::string::npos);
  EXPECT_NE(refusal({"--connection-file=c", "--transport=udp"})
                .find("--transport: got \"udp\", expected ipc or tcp"),
            std::string::npos);
  for (const char* text : {"", "-1", "x", "1s", "nan", "inf", "1e99"})
    EXPECT_NE(
        refusal({"--connection-file=c", std::string("--idle-timeout=") + text}).find("--idle-timeout: got"),
        std::string::npos)
        << text;
  for (const char* text : {"", "-1", "2.5", "99999999999"})
    EXPECT_NE(
        refusal({"--connection-file=c", std::string("--expect-ranks=") + text}).find("--expect-ranks: got"),
        std::string::npos)
        << text;
  EXPECT_NE(refusal({"--help=yes"}).find("takes no value"), std::string::npos);
  EXPECT_NE(refusal({"--connection-file=dir/"}).find("expected the path of a file"), std::string::npos);
  const auto broken = [](const char* name) { return std::string(name) == "GAMELAN_HEAP" ? "lots" : nullptr; };
  EXPECT_NE(refusal({"--connection-file=c"}, broken).find("GAMELAN_HEAP: got \"lots\""), std::string::npos);
}

TEST(Options, bytes_take_suffixes) {
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("1k"), 1024);
  EXPECT_EQ(parse_bytes("2.5G"), std::int64_t{5} << 29);
  EXPECT_EQ(parse_bytes("3TB"), std::int64_t{3} << 40);
  for (const char* text : {"", "G", "1X", "-1", "1GG", "9e30", "1 G"})
    EXPECT_THROW(parse_bytes(text), protocol::Error) << text;
}

TEST(Options, times_take_units) {
  EXPECT_EQ(parse_seconds("90"), 90);
  EXPECT_EQ(parse_seconds("1.5s"), 1.5);
  EXPECT_EQ(parse_seconds("10m"), 600);
  EXPECT_EQ(parse_seconds("24h"), 86'400);
  EXPECT_EQ(parse_seconds("2d"), 172'800);
  EXPECT_EQ(parse_seconds("0"), 0);
  for (const char* wrong : {"", "m", "10 m", "-1", "10min", "1y", "nan", "1e300d"})
    EXPECT_THROW(parse_seconds(wrong), protocol::Error) << wrong;
  EXPECT_EQ(parse_options({"--connection-file=/d/s", "--lease=2h"}, nothing).lease_s, 7'200);
}

TEST(Options, help_and_version_need_nothing_else) {
  EXPECT_TRUE(parse_options({"--help"}, nothing).wants_help);
  EXPECT_TRUE(parse_options({"--version"}, nothing).wants_version);
}

}  // namespace
}  // namespace gamelan::engine
