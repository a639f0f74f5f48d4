// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/small/openblas.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace gamelan::kernel {
namespace {

constexpr std::int64_t first_divided = 9'216, most_quick = 20'000;  // multiplications

int note_openblas(dl_phdr_info* info, std::size_t, void* paths) {
  const std::string_view path = info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.find("openblas") != std::string_view::npos)
    static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
  return 0;
}

struct Threads {
  int (*get)() = nullptr;
  void (*set)(int) = nullptr;
};

/// Those of the first OpenBLAS: NumPy is loaded before other users of one. Its wheels give it other names.
Threads find_threads() {
  for (const std::string& path : openblas_paths()) {
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);  // and never closed
    if (library == nullptr) continue;
    for (const std::string before : {"", "scipy_"})
      for (const std::string behind : {"", "64_"}) {
        const auto symbol = [&](const char* name) {
          return dlsym(library, (before + name + behind).c_str());
        };
        const Threads found{reinterpret_cast<int (*)()>(symbol("openblas_get_num_threads")),
                            reinterpret_cast<void (*)(int)>(symbol("openblas_set_num_threads"))};
        if (found.get != nullptr && found.set != nullptr) return found;
      }
  }
  return {};
}

const Threads& threads() {
  static const Threads found = find_threads();
  return found;
}

}  // namespace

std::vector<std::string> openblas_paths() {
  std::vector<std::string> paths;
  dl_iterate_phdr(note_openblas, &paths);
  return paths;
}

OneThread::OneThread(std::int64_t multiplications) {
  if (multiplications < first_divided || multiplications > most_quick || threads().get == nullptr) return;
  before_ = threads().get();
  if (before_ > 1) threads().set(1);
}

OneThread::~OneThread() {
  if (before_ > 1) threads().set(before_);
}

}  // namespace gamelan::kernel
