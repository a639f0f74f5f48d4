// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/module/freed_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace gamelan::kernel {
namespace {

constexpr int most_kept_bytes = 128 << 20;
constexpr int most_array_bytes = 32 << 20;  // glibc's own limit for M_MMAP_THRESHOLD

}  // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr const char* said_by[] = {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_",
                                     "GLIBC_TUNABLES"};
  if (std::any_of(std::begin(said_by), std::end(said_by), [](const char* name) { return std::getenv(name); }))
    return;
  if (const char* loaded = std::getenv("LD_PRELOAD");
      loaded != nullptr && std::string_view(loaded).find("malloc") != std::string_view::npos)
    return;
  mallopt(M_TRIM_THRESHOLD, most_kept_bytes);
  mallopt(M_MMAP_THRESHOLD, most_array_bytes);
#endif
}

}  // namespace gamelan::kernel
