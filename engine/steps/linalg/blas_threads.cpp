// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/linalg/blas_threads.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "engine/ranks/own_cores.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr int most_threads = 16;  // more of them wait for each other longer than they compute, at such sizes
constexpr std::int64_t least_elements = 128 * 128;

struct Library {
  int (*threads)() = find<int (*)()>("openblas_get_num_threads");
  void (*set_threads)(int) = find<void (*)(int)>("openblas_set_num_threads");
  int (*kind)() = find<int (*)()>("openblas_get_parallel");

  bool has_threads() const {
    constexpr int own_threads = 1;  // 0: none, 2: those of OpenMP
    return threads != nullptr && set_threads != nullptr && kind != nullptr && kind() == own_threads;
  }

 private:
  template <class Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

const Library& library() {
  static const Library found;
  return found;
}

/// How many threads a large matrix gets; 0 where that is not for us to say. Asked for the first time when
/// the cores have been dealt out to the ranks.
int threads_of_machine() {
  static const int threads = has_blas_threads() ? std::min(cores_of_machine(), most_threads) : 0;
  return threads;
}

}  // namespace

bool has_blas_threads() { return library().has_threads(); }

BlasThreads::BlasThreads(std::int64_t elements) {
  if (elements < least_elements || threads_of_machine() == 0) return;
  const int now = library().threads();
  if (threads_of_machine() <= now) return;
  before_ = now;
  const auto set = [] { library().set_threads(threads_of_machine()); };
  static bool have_begun = false;
  if (have_begun)
    set();
  else
    on_cores_of_machine(set);  // the threads that begin now run where any rank may: this rank's share is less
  have_begun = true;
}

BlasThreads::~BlasThreads() {
  if (before_ > 0) library().set_threads(before_);
}

}  // namespace gamelan::engine::steps
