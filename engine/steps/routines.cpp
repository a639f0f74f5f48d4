// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/routines.hpp"

#include <dlfcn.h>
#include <link.h>

#include <sstream>

#include "protocol/error.hpp"

namespace gamelan::engine::routines {
namespace {

using protocol::Error;
using protocol::ErrorKind;

struct Library {
  std::string path;
  void* handle;
};
std::vector<Library> libraries;

/// True when the library itself defines the function. A loader's handle also finds functions of the libraries
/// that it needs, such as libc's.
bool is_defined_in(const Library& library, void* address) {
  Dl_info found{};
  link_map *definer = nullptr, *own = nullptr;
  return dladdr1(address, &found, reinterpret_cast<void**>(&definer), RTLD_DL_LINKMAP) != 0 &&
         dlinfo(library.handle, RTLD_DI_LINKMAP, &own) == 0 && definer == own;
}

}  // namespace

void load(const std::string& paths) {
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    if (path.empty()) continue;
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw Error(ErrorKind::os, "--routines: cannot load " + path + ": " + dlerror());
    libraries.push_back({path, handle});
  }
}

Function find(const std::string& name) {
  for (const auto& library : libraries)
    if (void* address = dlsym(library.handle, name.c_str()); address && is_defined_in(library, address))
      return reinterpret_cast<Function>(address);
  std::string told;
  for (const auto& library : libraries) told += (told.empty() ? "" : ", ") + library.path;
  throw Error(ErrorKind::value,
              libraries.empty()
                  ? "no routine \"" + name +
                        "\": the engines were started without libraries of routines (--routines PATH)"
                  : "no routine \"" + name + "\" in " + told);
}

}  // namespace gamelan::engine::routines
