// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ranks/lent_memory.hpp"

namespace gamelan::engine {
namespace {

const std::byte* memory = nullptr;  // of the one thread that computes

}  // namespace

const std::byte* lent_memory() { return memory; }
void set_lent_memory(const std::byte* begin) { memory = begin; }

}  // namespace gamelan::engine
