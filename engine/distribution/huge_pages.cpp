// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/huge_pages.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace gamelan::engine::distribution {

namespace {

#ifdef FSOPEN_CLOEXEC
// What runs in the child process calls the system only: another thread of the parent may have held a lock.

void write_to(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  const auto written = write(file, text, std::strlen(text));
  static_cast<void>(written);
  close(file);
}

/// In namespaces of this process's own: of users, where this user may not mount, and of mounts.
bool enter_namespaces() {
  const auto user = static_cast<unsigned>(geteuid()), group = static_cast<unsigned>(getegid());
  if (unshare(CLONE_NEWNS) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  char text[64];
  std::snprintf(text, sizeof text, "%u %u 1", user, user);
  write_to("/proc/self/uid_map", text);
  write_to("/proc/self/setgroups", "deny");
  std::snprintf(text, sizeof text, "%u %u 1", group, group);
  write_to("/proc/self/gid_map", text);
  return true;
}

int make_file(const char* bytes_text, std::size_t bytes) {
  if (!enter_namespaces()) return -1;
  const int context = fsopen("tmpfs", FSOPEN_CLOEXEC);
  if (context < 0) return -1;
  if (fsconfig(context, FSCONFIG_SET_STRING, "huge", "always", 0) != 0 ||
      fsconfig(context, FSCONFIG_SET_STRING, "size", bytes_text, 0) != 0 ||
      fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return -1;
  const int mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (mount < 0) return -1;
  const int file = openat(mount, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0 ? file : -1;
}
#else  // glibc before 2.36
int make_file(const char*, std::size_t) { return -1; }
#endif

union Control {
  cmsghdr header;
  char room[CMSG_SPACE(sizeof(int))];
};

msghdr message_of(iovec& byte, Control& control) {
  msghdr message{};
  message.msg_iov = &byte;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control.room;
  return message;
}

bool send_file(int socket, int file) {
  char nothing = 0;
  iovec byte{&nothing, 1};
  Control control{};
  msghdr message = message_of(byte, control);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

/// -1 when none comes within the socket's time limit, or the other end has been closed.
int receive_file(int socket) {
  char nothing = 0;
  iovec byte{&nothing, 1};
  Control control{};
  msghdr message = message_of(byte, control);
  ssize_t received = -1;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  const cmsghdr* header = received == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int file = -1;
  std::memcpy(&file, CMSG_DATA(header), sizeof file);
  return file;
}

}  // namespace

HugeFile make_huge_file(std::size_t bytes) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%zu", bytes);
  const pid_t child = fork();
  if (child == 0) {
    const int file = make_file(text, bytes);
    _exit(file >= 0 && send_file(ends[1], file) ? 0 : 1);
  }
  close(ends[1]);
  int file = -1;
  if (child > 0) {
    const timeval limit{5, 0};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    file = receive_file(ends[0]);
    if (file < 0) kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  close(ends[0]);
  return HugeFile(file);
}

HugeFile open_huge_file(const protocol::Bytes& place) {
  const std::string path(reinterpret_cast<const char*>(place.data()), place.size());
  return path.empty() ? HugeFile() : HugeFile(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

HugeFile::~HugeFile() {
  if (file_ >= 0) close(file_);
}

protocol::Bytes HugeFile::place() const {
  if (file_ < 0) return {};
  const auto path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
  const auto* bytes = reinterpret_cast<const std::byte*>(path.data());
  return {bytes, bytes + path.size()};
}

std::byte* HugeFile::map(std::size_t bytes) const {
  if (file_ < 0) return nullptr;
  const std::size_t wide = bytes + huge_page_bytes;
  void* const reserved = mmap(nullptr, wide, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  const std::size_t before =
      (huge_page_bytes - reinterpret_cast<std::uintptr_t>(reserved) % huge_page_bytes) % huge_page_bytes;
  auto* const address = static_cast<std::byte*>(reserved) + before;
  if (!map_over(address, 0, bytes)) {
    munmap(reserved, wide);
    return nullptr;
  }
  if (before > 0) munmap(reserved, before);
  munmap(address + bytes, wide - before - bytes);
  return address;
}

bool HugeFile::map_over(std::byte* address, std::size_t offset, std::size_t bytes) const {
  return mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_,
              static_cast<off_t>(offset)) != MAP_FAILED;
}

}  // namespace gamelan::engine::distribution
