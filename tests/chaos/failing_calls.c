// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program and its engines: the n-th call that reads, writes or flushes a file below
// FAILING_FOLDER fails, or does less than it was asked to, as the system may. FAILING_CONTROL is a file of
// three 64-bit numbers that all processes map: how many calls are left until then (0: none fails), how many
// there were, and what the n-th does (the numbers below).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NO_SPACE = 1, INPUT_OUTPUT = 2, INTERRUPTED = 3, SHORT = 4 };

struct control {
  int64_t left, calls, what;
};

static struct control* control;
static const char* folder;

__attribute__((constructor)) static void begin(void) {
  const char* name = getenv("FAILING_CONTROL");
  folder = getenv("FAILING_FOLDER");
  if (!name || !folder) return;
  const int descriptor = open(name, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void* mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (mapped != MAP_FAILED) control = mapped;
}

// Whether this call is the n-th of a file of the folder; then it is told on stderr where FAILING_TELL is set.
// Keeps errno.
static int is_chosen(int descriptor, const char* name) {
  if (!control) return 0;
  const int before = errno;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  errno = before;
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder))) return 0;
  __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
  if (__atomic_sub_fetch(&control->left, 1, __ATOMIC_SEQ_CST)) return 0;
  if (getenv("FAILING_TELL")) fprintf(stderr, "%s of %s fails\n", name, path);
  errno = before;
  return 1;
}

static int failed(void) {
  errno = control->what == NO_SPACE ? ENOSPC : control->what == INTERRUPTED ? EINTR : EIO;
  return -1;
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

// A call of `count` bytes: fails, or is made with half of them.
#define OF_BYTES(name, ...)                      \
  if (is_chosen(descriptor, #name)) {            \
    if (control->what != SHORT) return failed(); \
    if (count > 1) count /= 2;                   \
  }                                              \
  return REAL(name)(__VA_ARGS__)

ssize_t write(int descriptor, const void* data, size_t count) { OF_BYTES(write, descriptor, data, count); }
ssize_t read(int descriptor, void* data, size_t count) { OF_BYTES(read, descriptor, data, count); }
ssize_t pwrite(int descriptor, const void* data, size_t count, off_t at) {
  OF_BYTES(pwrite, descriptor, data, count, at);
}
ssize_t pread(int descriptor, void* data, size_t count, off_t at) {
  OF_BYTES(pread, descriptor, data, count, at);
}
ssize_t pwrite64(int descriptor, const void* data, size_t count, off64_t at) {
  OF_BYTES(pwrite64, descriptor, data, count, at);
}
ssize_t pread64(int descriptor, void* data, size_t count, off64_t at) {
  OF_BYTES(pread64, descriptor, data, count, at);
}
ssize_t writev(int descriptor, const struct iovec* parts, int number) {
  size_t count = number;
  OF_BYTES(writev, descriptor, parts, (int)count);
}

#define WHOLE(name, ...)                                                       \
  if (is_chosen(descriptor, #name) && control->what != SHORT) return failed(); \
  return REAL(name)(__VA_ARGS__)

int fsync(int descriptor) { WHOLE(fsync, descriptor); }
int fdatasync(int descriptor) { WHOLE(fdatasync, descriptor); }
int ftruncate(int descriptor, off_t length) { WHOLE(ftruncate, descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { WHOLE(ftruncate64, descriptor, length); }
