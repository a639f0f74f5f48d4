// SPDX-License-Identifier: BSD-3-Clause
// Programs that do the same: those of a hundred sweeps in one batch, or of a loop whose plan is made anew.
// They share what is found out about one of them, machine code included.
#pragma once
#include <functional>
#include <memory>
#include <unordered_map>

#include "engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {

/// True when the programs differ at most in the commands to which floating-point errors belong.
bool are_alike(const Program& left, const Program& right);
/// Equal for programs that are alike.
std::uint64_t hash_of(const Program& program);

/// Translations by program, as long as somebody keeps them; what is dead is dropped now and then. For one
/// thread.
class KnownTranslations {
 public:
  using Make = std::function<std::shared_ptr<Translation>()>;
  /// The one of a program that is alike, if `suits` is true of it; else the one that `make` gives.
  std::shared_ptr<Translation> find(const Program& program,
                                    const std::function<bool(const Translation&)>& suits, const Make& make);

 private:
  void drop_dead();

  struct Known {
    Program program;  // without translations
    std::weak_ptr<Translation> translation;
  };
  std::unordered_multimap<std::uint64_t, Known> known_;
  std::size_t drop_at_ = 64;  // entries
};

}  // namespace gamelan::engine::tiles
