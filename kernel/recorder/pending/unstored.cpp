// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/unstored.hpp"

#include <algorithm>
#include <utility>

#include "kernel/recorder/pending/work.hpp"

namespace gamelan::kernel {
namespace {

using protocol::ArrayId;
using protocol::Command;
using protocol::View;

constexpr std::size_t most_commands = 16;  // of a recipe
constexpr std::size_t most_recipes = 8;    // of a batch
constexpr std::int64_t large_bytes = 1 << 20;
constexpr std::int64_t most_operations = 64;  // for an element that is not stored

template <class Visit>
void for_each_read(const Command& command, Visit visit) {
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) visit(*view);
}

/// How many operations in registers a command takes: what is not stored is computed in a pass of others.
std::int64_t operations_of(const Command& command) {
  constexpr std::int64_t of_a_transcendental = 16;
  std::int64_t elements = protocol::element_count(command.out.extents);
  for_each_read(command, [&](const View& view) {
    elements = std::max(elements, protocol::element_count(view.extents));
  });
  const bool is_dear = (protocol::info(command.op).traits & protocol::transcendental) != 0;
  return elements * (is_dear ? of_a_transcendental : 1);
}

class Finder {
 public:
  Finder(const protocol::Batch& pending, const std::unordered_set<ArrayId>& dead,
         std::span<const View> fetches, const RecipeRules& rules)
      : commands_(pending.commands), dead_(dead), rules_(rules) {
    for (std::size_t n = 0; n < commands_.size(); ++n) {
      if (commands_[n].creates)
        makers_[commands_[n].out.base] = n;
      else
        excluded_.insert(commands_[n].out.base);
      for_each_read(commands_[n], [&](const View& view) { read_.insert(view.base); });
    }
    for (const View& view : fetches) fetched_.insert(view.base);
  }

  std::vector<Recipe> run() {
    std::vector<Recipe> found;
    for (std::size_t n = 0; n < commands_.size() && found.size() < most_recipes; ++n) {
      const auto& out = commands_[n].out;
      if (!is_simple(commands_[n]) || bytes_of(out) < least_unstored_bytes || dead_.contains(out.base) ||
          fetched_.contains(out.base) || !read_.contains(out.base) || !rules_.is_short_lived(n))
        continue;
      std::vector<std::size_t> places;
      if (!collect(n, places) || is_dear(places, out)) continue;
      std::sort(places.begin(), places.end());
      found.push_back(write(std::move(places)));
      excluded_.insert(out.base);  // no recipe reads what is not stored
    }
    return found;
  }

 private:
  bool is_dear(const std::vector<std::size_t>& places, const View& out) const {
    std::int64_t operations = 0;
    for (const auto n : places) operations += operations_of(commands_[n]);
    return operations > most_operations * protocol::element_count(out.extents);
  }

  /// Its size is known, because this batch makes it.
  bool is_small(ArrayId id) const {
    const auto maker = makers_.find(id);
    return maker != makers_.end() && bytes_of(commands_[maker->second].out) < large_bytes;
  }

  /// The commands that make a result of what will be stored. False where something is in the way.
  bool collect(std::size_t n, std::vector<std::size_t>& places) const {
    if (std::find(places.begin(), places.end(), n) != places.end()) return true;
    if (excluded_.contains(commands_[n].out.base) || places.size() == most_commands) return false;
    places.push_back(n);
    bool is_sound = true;
    for_each_read(commands_[n], [&](const View& view) {
      if (!is_sound) return;
      const auto maker = makers_.find(view.base);
      if (excluded_.contains(view.base) || !rules_.may_read(view.base))
        is_sound = false;
      else if (!dead_.contains(view.base))
        return;
      else if (maker != makers_.end() && is_simple(commands_[maker->second]))
        is_sound = collect(maker->second, places);
      else
        is_sound = is_small(view.base);
    });
    return is_sound;
  }

  Recipe write(std::vector<std::size_t> places) const {
    Recipe recipe;
    std::unordered_set<ArrayId> made;
    for (const std::size_t n : places) {
      for_each_read(commands_[n], [&](const View& view) {
        if (made.contains(view.base)) return;
        recipe.reads.insert(view.base);
        if (is_small(view.base)) recipe.reads_small.insert(view.base);
      });
      made.insert(commands_[n].out.base);
      recipe.commands.push_back(commands_[n]);
    }
    recipe.array = recipe.commands.back().out.base;
    recipe.places = std::move(places);
    return recipe;
  }

  const std::vector<Command>& commands_;
  const std::unordered_set<ArrayId>& dead_;
  const RecipeRules& rules_;
  std::unordered_map<ArrayId, std::size_t> makers_;
  std::unordered_set<ArrayId> excluded_;  // changed in place, or not stored
  std::unordered_set<ArrayId> read_, fetched_;
};

}  // namespace

std::vector<Recipe> find_recipes(const protocol::Batch& pending, const std::unordered_set<ArrayId>& dead,
                                 std::span<const View> fetches, const RecipeRules& rules) {
  return Finder(pending, dead, fetches, rules).run();
}

Recipe Unstored::take(ArrayId id) { return std::move(recipes_.extract(id).mapped()); }

void Unstored::add(Recipe recipe) {
  const auto id = recipe.array;
  recipes_.insert_or_assign(id, std::move(recipe));
}

std::vector<ArrayId> Unstored::those(const std::function<bool(const Recipe&)>& are_meant) const {
  std::vector<ArrayId> found;
  for (const auto& [array, recipe] : recipes_)
    if (are_meant(recipe)) found.push_back(array);
  std::sort(found.begin(), found.end());  // in the order of the program
  return found;
}

std::vector<ArrayId> Unstored::made_from(ArrayId id) const {
  return those([id](const Recipe& recipe) { return recipe.reads.contains(id); });
}

std::vector<ArrayId> Unstored::all() const {
  return those([](const Recipe&) { return true; });
}

bool Unstored::is_read(ArrayId id) const {
  return std::any_of(recipes_.begin(), recipes_.end(),
                     [id](const auto& entry) { return entry.second.reads.contains(id); });
}

std::vector<ArrayId> Unstored::drop(const std::unordered_set<ArrayId>& dead) {
  auto dropped = those([&](const Recipe& recipe) { return dead.contains(recipe.array); });
  for (const ArrayId id : dropped) recipes_.erase(id);
  return dropped;
}

std::vector<ArrayId> Unstored::in_the_way(const std::unordered_set<ArrayId>& dead) const {
  return those([&](const Recipe& recipe) {
    return std::any_of(recipe.reads.begin(), recipe.reads.end(),
                       [&](ArrayId id) { return dead.contains(id) && !recipe.reads_small.contains(id); });
  });
}

void Unstored::note_reply(std::uint64_t batch, std::size_t ran, bool is_ok,
                          std::span<const protocol::FloatErrors> errors) {
  std::erase_if(recipes_, [&](const auto& entry) {
    return entry.second.batch == batch && entry.second.places.back() >= ran;
  });
  for (auto& [array, recipe] : recipes_) {
    if (recipe.batch != batch || !recipe.is_heard) continue;
    const auto is_hit = [&places = recipe.places](const protocol::FloatErrors& met) {
      return std::any_of(places.begin(), places.end(), [&](std::size_t place) {
        const auto command = static_cast<std::int32_t>(place);
        return met.first <= command && command <= met.last;
      });
    };
    recipe.is_sound = is_ok && std::none_of(errors.begin(), errors.end(), is_hit);
  }
}

}  // namespace gamelan::kernel
