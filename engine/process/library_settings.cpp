// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/library_settings.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine {
namespace {

// What the library has for processors without AVX; the first is what it takes for those that it does not
// know.
constexpr std::string_view without_avx[] = {"Prescott", "Katmai", "Coppermine", "Northwood", "Banias",
                                            "Core2",    "Penryn", "Dunnington", "Nehalem",   "Athlon",
                                            "Opteron",  "Atom",   "Barcelona",  "Bobcat",    "Nano"};

/// The name of the kernels that OpenBLAS has chosen; "" for another BLAS.
std::string_view chosen_core() {
  using Corename = char* (*)();
  const auto ask = reinterpret_cast<Corename>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  return ask == nullptr ? "" : ask();
}

/// True when the variable was not set and is now.
bool set_unless_given(const char* name, const char* value) {
  return std::getenv(name) == nullptr && setenv(name, value, 0) == 0;
}

}  // namespace

void choose_library_settings(char** argv) {
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure || program.filename().string().starts_with("ld"))
    return;  // a loader was told to start this one
  const auto level = tiles::best_isa();
  // From a program with another user's rights glibc would take the variable away each time.
  bool is_new =
      getauxval(AT_SECURE) == 0 && set_unless_given("GLIBC_TUNABLES", "glibc.malloc.tcache_count=1024");
  is_new |= set_unless_given("OPENBLAS_THREAD_TIMEOUT", "20");  // a thread looks for work for 0.5 ms
  if (level != tiles::Isa::baseline && std::ranges::find(without_avx, chosen_core()) != std::end(without_avx))
    is_new |= set_unless_given("OPENBLAS_CORETYPE", level == tiles::Isa::avx512 ? "SkylakeX" : "Haswell");
  if (is_new) execv(program.c_str(), argv);  // by the file's own name, which the process then has
  // Without another start the engine is slower, no more.
}

}  // namespace gamelan::engine
