// SPDX-License-Identifier: BSD-3-Clause
// Memory pages of machine code: first writable and then executable, never both.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "engine/jit/code.hpp"

namespace gamelan::engine::jit {

/// The pages of a function of (places, count), which can run at any address. nullptr when the system gives no
/// such pages.
std::shared_ptr<const Code> make_pages(std::span<const std::byte> code);
/// True once the system has refused them: it will again.
bool are_pages_refused();

}  // namespace gamelan::engine::jit
