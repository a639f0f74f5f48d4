// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/pages.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

namespace gamelan::engine::jit {
namespace {

std::atomic<bool> is_refused = false;

class Pages : public Code {
 public:
  Pages(void* start, std::size_t bytes) : start_(start), bytes_(bytes) {}
  ~Pages() override { munmap(start_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void run(std::byte* const* places, std::size_t count) const override {
    reinterpret_cast<void (*)(std::byte* const*, std::size_t)>(start_)(places, count);
  }

 private:
  void* start_;
  std::size_t bytes_;
};

}  // namespace

std::shared_ptr<const Code> make_pages(std::span<const std::byte> code) {
  void* start = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  auto pages = std::make_shared<Pages>(start, code.size());
  std::memcpy(start, code.data(), code.size());
  if (mprotect(start, code.size(), PROT_READ | PROT_EXEC) == 0) return pages;
  is_refused = true;
  return nullptr;
}

bool are_pages_refused() { return is_refused; }

}  // namespace gamelan::engine::jit
