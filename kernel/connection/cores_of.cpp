// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/cores_of.hpp"

namespace gamelan::kernel {

CoresOf::CoresOf(std::int64_t process_id) {
  cpu_set_t theirs;
  if (sched_getaffinity(0, sizeof own_, &own_) != 0 ||
      sched_getaffinity(static_cast<pid_t>(process_id), sizeof theirs, &theirs) != 0)
    return;
  CPU_AND(&common_, &own_, &theirs);
  if (CPU_COUNT(&common_) == 0 || CPU_EQUAL(&common_, &own_)) return;
  is_bound_ = sched_setaffinity(0, sizeof common_, &common_) == 0;
}

CoresOf::~CoresOf() {
  cpu_set_t now;
  if (is_bound_ && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &common_))
    sched_setaffinity(0, sizeof own_, &own_);
}

}  // namespace gamelan::kernel
