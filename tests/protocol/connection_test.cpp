// SPDX-License-Identifier: BSD-3-Clause
// The connection file: text, and the rules for a file that may be trusted. A file of another owner is made
// where the test may (as root), and skipped aloud elsewhere.
#include "protocol/connection.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace gamelan::protocol {
namespace {

namespace fs = std::filesystem;

Connection sample() {
  Connection connection;
  connection.session = "λ session \"1\"";
  connection.host = "node01";
  connection.pid = 4242;
  connection.ranks = 4;
  connection.addresses = {"ipc:///run/user/0/gamelan/engine.sock", "tcp://10.0.0.1:5555"};
  connection.server_public = std::string(40, 'a');
  connection.client_public = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
  connection.client_secret = std::string(40, '$');
  connection.slurm_job_id = "77";
  connection.fingerprint = "f79a4171bb1c9c4b";
  return connection;
}

void expect_equal(const Connection& left, const Connection& right) {
  EXPECT_EQ(left.version, right.version);
  EXPECT_EQ(left.session, right.session);
  EXPECT_EQ(left.host, right.host);
  EXPECT_EQ(left.pid, right.pid);
  EXPECT_EQ(left.ranks, right.ranks);
  EXPECT_EQ(left.addresses, right.addresses);
  EXPECT_EQ(left.server_public, right.server_public);
  EXPECT_EQ(left.client_public, right.client_public);
  EXPECT_EQ(left.client_secret, right.client_secret);
  EXPECT_EQ(left.slurm_job_id, right.slurm_job_id);
  EXPECT_EQ(left.fingerprint, right.fingerprint);
}

/// Kind and message of what `work` throws.
template <typename Work>
std::pair<ErrorKind, std::string> thrown_by(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {ErrorKind::internal, "nothing thrown"};
}

#define EXPECT_THROWN(expected_kind, fragment, ...)                  \
  {                                                                  \
    const auto [kind, message] = thrown_by([&] { __VA_ARGS__; });    \
    EXPECT_EQ(kind, ErrorKind::expected_kind) << message;            \
    EXPECT_NE(message.find(fragment), std::string::npos) << message; \
  }

std::string replaced(std::string text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before << " in " << text;
  return at == std::string::npos ? text : text.replace(at, before.size(), after);
}

class ConnectionFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "gamelan-connection-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = (folder_ / "connection.json").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path().filename());
    return found;
  }

  fs::path folder_;
  std::string path_;
};

TEST(Connection, text_round_trips) { expect_equal(connection_from_json(to_json(sample())), sample()); }

TEST(Connection, ipc_needs_no_keys_and_tcp_does) {
  Connection connection = sample();
  connection.server_public = connection.client_public = connection.client_secret = "";
  EXPECT_THROWN(value, "tcp", connection_from_json(to_json(connection)));
  connection.addresses.pop_back();
  expect_equal(connection_from_json(to_json(connection)), connection);
}

TEST(Connection, every_field_is_required) {
  const std::string text = to_json(sample());
  for (const char* name : {"version", "session", "host", "pid", "ranks", "addresses", "server_public",
                           "client_public", "client_secret", "slurm_job_id", "fingerprint"}) {
    const std::string quoted = std::string("\"") + name + "\"";
    EXPECT_THROWN(value, name, connection_from_json(replaced(text, quoted, "\"other\"")));
    EXPECT_THROWN(value, name,
                  connection_from_json(replaced(text, quoted + ":", quoted + ": {}, \"other\":")));
  }
}

TEST(Connection, numbers_have_their_ranges) {
  const std::string text = to_json(sample());
  const std::string own = "\"version\": " + std::to_string(protocol_version);
  for (const int other : {protocol_version - 1, protocol_version + 1})
    EXPECT_THROWN(value, "version",
                  connection_from_json(replaced(text, own, "\"version\": " + std::to_string(other))));
  for (const char* wrong :
       {"0", "-1", "2147483648", "18446744073709551615", "1.5", "\"4\"", "null", "1e99"}) {
    EXPECT_THROWN(value, "ranks",
                  connection_from_json(replaced(text, "\"ranks\": 4", std::string("\"ranks\": ") + wrong)));
  }
}

TEST(Connection, refuses_other_text) {
  for (const char* wrong : {"", "[]", "nonsense", "{\"version\": 1", "\xff", "{} {}"}) {
    EXPECT_THROWN(value, "JSON", connection_from_json(wrong));
  }
  EXPECT_THROWN(value, "JSON", connection_from_json(std::string(60'000, '[')));
}

TEST(Connection, refuses_other_addresses_and_keys) {
  const std::string text = to_json(sample());
  EXPECT_THROWN(value, "addresses", connection_from_json(replaced(text, "tcp://", "http://")));
  EXPECT_THROWN(value, "addresses", connection_from_json(replaced(text, "\"tcp://10.0.0.1:5555\"", "7")));
  Connection empty = sample();
  empty.addresses.clear();
  EXPECT_THROWN(value, "addresses", connection_from_json(to_json(empty)));
  EXPECT_THROWN(value, "server_public", connection_from_json(replaced(text, "aaaa", "aaa")));
  EXPECT_THROWN(value, "client_secret", connection_from_json(replaced(text, "$$$$", "$$ $")));
}

TEST(Connection, a_refusal_does_not_tell_the_secret) {
  Connection connection = sample();
  connection.client_secret = "hush" + std::string(35, '$');
  const auto [kind, message] = thrown_by([&] { connection_from_json(to_json(connection)); });
  EXPECT_EQ(kind, ErrorKind::value);
  EXPECT_EQ(message.find("hush"), std::string::npos) << message;
}

TEST_F(ConnectionFile, is_written_private_and_alone) {
  const mode_t before = ::umask(0);
  write_connection(path_, sample());
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_EQ(names(), std::vector<std::string>{"connection.json"});
  expect_equal(read_connection(path_), sample());
}

TEST_F(ConnectionFile, replaces_an_older_one_even_a_link) {
  write_connection(path_, sample());
  Connection newer = sample();
  newer.pid = 5;
  write_connection(path_, newer);
  EXPECT_EQ(read_connection(path_).pid, 5);

  const std::string target = (folder_ / "precious").string();
  std::ofstream(target) << "precious";
  fs::remove(path_);
  fs::create_symlink(target, path_);
  write_connection(path_, sample());
  EXPECT_FALSE(fs::is_symlink(path_));
  EXPECT_EQ(fs::file_size(target), 8U);
}

TEST_F(ConnectionFile, a_leftover_temporary_is_not_followed) {
  const std::string target = (folder_ / "precious").string();
  std::ofstream(target) << "precious";
  fs::create_symlink(target, path_ + ".tmp-" + std::to_string(::getpid()) + "-0");
  write_connection(path_, sample());
  EXPECT_EQ(fs::file_size(target), 8U);
  expect_equal(read_connection(path_), sample());
}

TEST_F(ConnectionFile, cannot_be_written_into_nothing) {
  EXPECT_THROWN(os, "No such file", write_connection((folder_ / "absent" / "c.json").string(), sample()));
  fs::create_directory(path_);
  EXPECT_THROWN(os, "rename", write_connection(path_, sample()));
  EXPECT_EQ(names(), std::vector<std::string>{"connection.json"});  // no temporary is left
}

TEST_F(ConnectionFile, readers_never_see_half_of_it) {
  write_connection(path_, sample());
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    Connection connection = sample();
    for (int round = 0; round < 100; ++round) {
      connection.session.assign(static_cast<std::size_t>(round % 2 == 0 ? 10 : 10'000), 's');
      write_connection(path_, connection);
    }
    is_done = true;
  });
  int reads = 0;
  while (!is_done || reads == 0) {
    EXPECT_NO_THROW(read_connection(path_));
    ++reads;
  }
  writer.join();
}

TEST_F(ConnectionFile, absent_is_said_so) { EXPECT_THROWN(os, "No such file", read_connection(path_)); }

TEST_F(ConnectionFile, open_to_others_is_refused) {
  write_connection(path_, sample());
  for (const mode_t mode : {0640U, 0604U, 0610U, 0602U, 0777U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_THROWN(os, "0600", read_connection(path_));
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  EXPECT_NO_THROW(read_connection(path_));
}

TEST_F(ConnectionFile, of_another_owner_is_refused) {
  write_connection(path_, sample());
  if (::chown(path_.c_str(), ::geteuid() + 1, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "only root may give files away";
  EXPECT_THROWN(os, "another user", read_connection(path_));
}

TEST_F(ConnectionFile, links_pipes_and_folders_are_refused) {
  const std::string real = (folder_ / "real.json").string();
  write_connection(real, sample());
  fs::create_symlink(real, path_);
  EXPECT_THROWN(os, "symbolic link", read_connection(path_));
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROWN(os, "regular file", read_connection(pipe));  // at once: nobody writes to it
  EXPECT_THROWN(os, "regular file", read_connection(folder_.string()));
}

TEST_F(ConnectionFile, too_long_or_damaged_text_names_the_file) {
  const auto write = [&](const std::string& text) {
    std::ofstream(path_) << text;
    ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  };
  write(std::string(100'000, ' '));
  EXPECT_THROWN(value, path_, read_connection(path_));
  write("{\"version\": ");
  EXPECT_THROWN(value, path_, read_connection(path_));
  write("");
  EXPECT_THROWN(value, path_, read_connection(path_));
}

}  // namespace
}  // namespace gamelan::protocol
