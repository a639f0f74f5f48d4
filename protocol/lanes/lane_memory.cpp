// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/lanes/lane_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace gamelan::protocol {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::os, "[lane] " + what); }

}  // namespace

void UnmapLanes::operator()(LaneRegion* region) const { munmap(region, LaneRegion::total_bytes); }

LaneMemory map_lanes(const LaneOffer& offer) {
  if (offer.layout != LaneRegion::layout) fail("rank 0 is of another build");
  char own[32] = {};  // our number as /proc counts: rank 0 asks by it whether we live
  if (readlink("/proc/self", own, sizeof own - 1) <= 0 || std::to_string(getpid()) != own)
    fail("this process has another number than /proc says, as in another container");
  const std::string path =
      "/proc/" + std::to_string(offer.process_id) + "/fd/" + std::to_string(offer.descriptor);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail("rank 0's shared memory cannot be opened: " + std::string(std::strerror(errno)));
  struct stat facts {};
  const bool has_size = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                        static_cast<std::size_t>(facts.st_size) == LaneRegion::total_bytes;
  void* memory = has_size
                     ? mmap(nullptr, LaneRegion::total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
  close(file);
  if (!has_size) fail("rank 0 runs where its processes have other numbers, as in another container");
  if (memory == MAP_FAILED)
    fail("rank 0's shared memory cannot be mapped: " + std::string(std::strerror(errno)));
  madvise(memory, LaneRegion::total_bytes, MADV_DONTFORK);  // a child must not write into our lane
  LaneMemory lanes(static_cast<LaneRegion*>(memory));
  if (lanes->proof.load() != offer.proof)
    fail("rank 0 runs where its processes have other numbers, as in another container");
  return lanes;
}

}  // namespace gamelan::protocol
