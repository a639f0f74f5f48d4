// SPDX-License-Identifier: BSD-3-Clause
// Where a thread waits for a process that keeps to some cores (engine/ranks/own_cores.hpp).
#pragma once
#include <sched.h>

#include <cstdint>

namespace gamelan::kernel {

/// While it lives, its thread runs only on the cores that another process of this machine keeps to, as far as
/// it may use them. Who then waits for that process is woken where nobody else computes: waking a thread on
/// an idle core takes 20 to 50 us, and on the core of a third process it stands in that one's way. Does
/// nothing where the other process uses all cores of the thread, or none of them, or cannot be asked. Throws
/// nothing.
class CoresOf {
 public:
  explicit CoresOf(std::int64_t process_id);
  /// The thread has its cores again, unless somebody has given it others meanwhile.
  ~CoresOf();
  bool is_bound() const { return is_bound_; }
  CoresOf(const CoresOf&) = delete;
  CoresOf& operator=(const CoresOf&) = delete;

 private:
  cpu_set_t own_, common_;
  bool is_bound_ = false;
};

}  // namespace gamelan::kernel
