// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/routines.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>

#include "engine/steps/files/checksum.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::routines {
namespace {

using protocol::Error;
using protocol::ErrorKind;

struct Library {
  std::string path;
  void* handle;
  std::uint32_t sum;
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

std::uint32_t sum_of(const std::string& path, void* handle) {
  link_map* own = nullptr;  // the loader may have found it elsewhere
  const bool is_known = dlinfo(handle, RTLD_DI_LINKMAP, &own) == 0 && own->l_name[0] != '\0';
  std::ifstream file(is_known ? own->l_name : path.c_str(), std::ios::binary);
  if (!file) throw Error(ErrorKind::os, "--routines: cannot read " + path + " for its checksum");
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  return steps::checksum(0, std::as_bytes(std::span(bytes)));
}

}  // namespace

void load(const std::string& paths) {
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    if (path.empty()) continue;
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw Error(ErrorKind::os, "--routines: cannot load " + path + ": " + dlerror());
    libraries.push_back({path, handle, sum_of(path, handle)});
  }
}

std::vector<std::uint32_t> sums() {
  std::vector<std::uint32_t> all;
  for (const auto& library : libraries) all.push_back(library.sum);
  return all;
}

void set_sums(const std::vector<std::uint32_t>& sums) {
  for (std::size_t k = 0; k < std::min(sums.size(), libraries.size()); ++k) libraries[k].sum = sums[k];
}

Function find(const std::string& wanted) {
  const auto end = wanted.find('@');
  const std::string name = wanted.substr(0, end);
  std::optional<std::uint32_t> sum;
  if (end != std::string::npos)
    sum = static_cast<std::uint32_t>(std::strtoul(wanted.c_str() + end + 1, nullptr, 16));
  const Library* other = nullptr;
  for (const auto& library : libraries) {
    void* address = dlsym(library.handle, name.c_str());
    if (!address || !is_defined_in(library, address)) continue;
    if (!sum || *sum == library.sum) return reinterpret_cast<Function>(address);
    other = &library;
  }
  if (other != nullptr)
    throw Error(ErrorKind::value, "the routine \"" + name + "\" of " + other->path +
                                      " is not the one that was called: the library has changed since");
  std::string told;
  for (const auto& library : libraries) told += (told.empty() ? "" : ", ") + library.path;
  throw Error(ErrorKind::value,
              libraries.empty()
                  ? "no routine \"" + name +
                        "\": the engines were started without libraries of routines (--routines PATH)"
                  : "no routine \"" + name + "\" in " + told);
}

}  // namespace gamelan::engine::routines
