// SPDX-License-Identifier: BSD-3-Clause
// The connection file holds a secret key and decides whom a client talks to. So it is read only when no other
// user can have written it. It appears under its name complete or not at all.
#include "protocol/connection.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace gamelan::protocol {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_file_bytes = 64 * 1024;
constexpr std::size_t key_letters = 40;  // 32 bytes in Z85

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::value, "[connection] " + what); }

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::os, "[connection] " + path + ": " + what);
}
[[noreturn]] void fail_with_errno(const std::string& path, const char* action, int code) {
  fail(path, std::string("cannot ") + action + ": " + std::strerror(code));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

const Json& field(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) refuse(std::string("field `") + name + "` is missing");
  return *found;
}

std::string text(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_string()) refuse(std::string("field `") + name + "` is not a string");
  return value.get<std::string>();
}

std::int64_t number(const Json& json, const char* name, std::int64_t least, std::int64_t most) {
  const Json& value = field(json, name);
  const bool is_integer = value.is_number_integer();
  const bool is_huge =
      value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (!is_integer || is_huge || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    refuse(std::string("field `") + name + "` is " +
           value.dump(-1, ' ', true, Json::error_handler_t::replace) + ", expected an integer from " +
           std::to_string(least) + " to " + std::to_string(most));
  }
  return value.get<std::int64_t>();
}

bool is_z85(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view(".-:+=^!/*?&<>()[]{}@%$#").find(letter) != std::string_view::npos;
}

std::string key(const Json& json, const char* name) {
  std::string value = text(json, name);
  const bool is_key = value.size() == key_letters && std::all_of(value.begin(), value.end(), is_z85);
  // The value itself stays out of the message: it may be a secret.
  if (!value.empty() && !is_key) refuse(std::string("field `") + name + "` is not a Z85 key of 40 letters");
  return value;
}

std::vector<std::string> addresses(const Json& json) {
  const Json& list = field(json, "addresses");
  if (!list.is_array() || list.empty()) refuse("field `addresses` is not a list with an address");
  std::vector<std::string> found;
  for (const Json& entry : list) {
    const bool is_endpoint =
        entry.is_string() && (entry.get_ref<const std::string&>().starts_with("ipc://") ||
                              entry.get_ref<const std::string&>().starts_with("tcp://"));
    if (!is_endpoint) refuse("field `addresses` holds something else than ipc:// and tcp:// endpoints");
    found.push_back(entry.get<std::string>());
  }
  return found;
}

}  // namespace

std::string to_json(const Connection& connection) {
  const Json json{{"version", connection.version},
                  {"session", connection.session},
                  {"host", connection.host},
                  {"pid", connection.pid},
                  {"ranks", connection.ranks},
                  {"addresses", connection.addresses},
                  {"server_public", connection.server_public},
                  {"client_public", connection.client_public},
                  {"client_secret", connection.client_secret},
                  {"slurm_job_id", connection.slurm_job_id},
                  {"fingerprint", connection.fingerprint},
                  {"program", connection.program}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Connection connection_from_json(const std::string& source) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const Json json = Json::parse(source, nullptr, false);
  if (!json.is_object())
    refuse("not a JSON object: the file is damaged; restart the engines (gamelan engines list shows them)");
  Connection connection;
  connection.version = static_cast<int>(number(json, "version", 0, most));
  if (connection.version != protocol_version) {
    refuse(
        "field `version` is " + std::to_string(connection.version) + ", expected " +
        std::to_string(protocol_version) +
        ": the engines come from another release; build both from the same source and restart the engines");
  }
  connection.session = text(json, "session");
  connection.host = text(json, "host");
  connection.pid = number(json, "pid", 0, most);
  connection.ranks = static_cast<int>(number(json, "ranks", 1, most));
  connection.addresses = addresses(json);
  connection.server_public = key(json, "server_public");
  connection.client_public = key(json, "client_public");
  connection.client_secret = key(json, "client_secret");
  connection.slurm_job_id = text(json, "slurm_job_id");
  connection.fingerprint = text(json, "fingerprint");
  if (json.contains("program")) connection.program = text(json, "program");
  const bool has_tcp = std::any_of(connection.addresses.begin(), connection.addresses.end(),
                                   [](const std::string& address) { return address.starts_with("tcp://"); });
  const bool has_keys = !connection.server_public.empty() && !connection.client_public.empty() &&
                        !connection.client_secret.empty();
  if (has_tcp && !has_keys)
    refuse("a tcp address without all of server_public, client_public and client_secret");
  return connection;
}

Connection read_connection(const std::string& path) {
  // Opened without blocking: another user may have put a pipe there, which would block us before it is
  // refused.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && errno == ELOOP) fail(path, "is a symbolic link");
  if (file.get() < 0) fail_with_errno(path, "open", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_with_errno(path, "stat", errno);
  if (!S_ISREG(status.st_mode)) fail(path, "is not a regular file");
  if (status.st_uid != ::geteuid())
    fail(path, "belongs to another user, and so do its engines: start your own (gamelan engines start)");
  if ((status.st_mode & 077) != 0)
    fail(path,
         "is open to other users; expected mode 0600: chmod 600 it if nobody else can have read the key in "
         "it, else "
         "restart the engines");

  std::string content(max_file_bytes + 1, '\0');
  std::size_t length = 0;
  while (length < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + length, content.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(path, "read", errno);
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length > max_file_bytes) refuse(path + ": too long to be a connection file");
  content.resize(length);
  try {
    return connection_from_json(content);
  } catch (const Error& error) {
    throw Error(error.kind(), path + ": " + error.what());
  }
}

void write_connection(const std::string& path, const Connection& connection) {
  const std::string content = to_json(connection);
  std::string temporary;
  int fd = -1;
  for (int attempt = 0; fd < 0;
       ++attempt) {  // a name left over by a dead process of our number is not ours to reuse
    temporary = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && (errno != EEXIST || attempt == 100)) fail_with_errno(temporary, "create", errno);
  }
  const Descriptor file(fd);
  const auto abandon = [&](const char* action) {
    const int code = errno;
    ::unlink(temporary.c_str());
    fail_with_errno(path, action, code);
  };
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t written = ::write(fd, content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) abandon("write");
    done += static_cast<std::size_t>(written);
  }
  if (::fsync(fd) != 0) abandon("sync");
  if (::rename(temporary.c_str(), path.c_str()) != 0) abandon("rename");
}

}  // namespace gamelan::protocol
