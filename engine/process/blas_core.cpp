// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/blas_core.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine {
namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";
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

}  // namespace

void choose_blas_core(char** argv) {
  const auto level = tiles::best_isa();
  if (level == tiles::Isa::baseline || std::getenv(variable) != nullptr) return;
  if (std::ranges::find(without_avx, chosen_core()) == std::end(without_avx)) return;
  setenv(variable, level == tiles::Isa::avx512 ? "SkylakeX" : "Haswell", 0);
  // The variable is read while the library is loaded. By the file's own name, which the process then has.
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (!failure) execv(program.c_str(), argv);
  // Without another start the engine is slower, no more.
}

}  // namespace gamelan::engine
