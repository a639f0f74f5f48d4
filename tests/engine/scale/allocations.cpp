// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/scale/allocations.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace gamelan::tests {
namespace {

thread_local Allocations counted;

void* allocate(std::size_t bytes, std::size_t alignment) {
  const bool is_plain = alignment <= alignof(std::max_align_t);
  void* memory = is_plain ? std::malloc(bytes)
                          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  const auto size = static_cast<std::int64_t>(malloc_usable_size(memory));
  ++counted.count;
  counted.bytes += size;
  counted.live += size;
  counted.peak = std::max(counted.peak, counted.live);
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  counted.live -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

const Allocations& allocations() { return counted; }
void restart_peak() { counted.peak = counted.live; }

}  // namespace gamelan::tests

void* operator new(std::size_t bytes) { return gamelan::tests::allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return gamelan::tests::allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return gamelan::tests::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return gamelan::tests::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { gamelan::tests::release(memory); }
void operator delete[](void* memory) noexcept { gamelan::tests::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { gamelan::tests::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { gamelan::tests::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { gamelan::tests::release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { gamelan::tests::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  gamelan::tests::release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  gamelan::tests::release(memory);
}
