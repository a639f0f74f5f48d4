// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/unstored.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gamelan::kernel {
namespace {

using protocol::ArrayId;
using protocol::Command;
using protocol::View;

constexpr std::size_t most_commands = 16;  // of a recipe
constexpr std::size_t most_recipes = 8;    // of a batch
constexpr std::int64_t large_bytes = 1 << 20;

bool is_simple(const Command& command) {
  const auto kind = protocol::info(command.op).kind;
  return command.creates && command.payload < 0 && kind != protocol::RowKind::nullary &&
         kind != protocol::RowKind::call;
}

template <class Visit>
void for_each_read(const Command& command, Visit visit) {
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) visit(*view);
}

/// From the begin of the base to the end of the view; the base may be longer.
std::int64_t bytes_up_to_end_of(const View& view) {
  std::int64_t bytes = view.offset + static_cast<std::int64_t>(protocol::size_of(view.dtype));
  for (std::size_t axis = 0; axis < view.extents.size(); ++axis)
    bytes +=
        std::max<std::int64_t>(view.extents[axis] - 1, 0) * std::max<std::int64_t>(view.strides[axis], 0);
  return bytes;
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
      if (!collect(n, places)) continue;
      std::sort(places.begin(), places.end());
      found.push_back(write(std::move(places)));
      excluded_.insert(out.base);  // no recipe reads what is not stored
    }
    return found;
  }

 private:
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
        is_sound = bytes_up_to_end_of(view) < large_bytes;
    });
    return is_sound;
  }

  Recipe write(std::vector<std::size_t> places) const {
    Recipe recipe;
    std::unordered_map<ArrayId, ArrayId> stands_for;
    for (const std::size_t n : places) {
      Command command = commands_[n];
      for (auto& operand : command.in) {
        auto* view = std::get_if<View>(&operand);
        if (view == nullptr) continue;
        if (const auto temporary = stands_for.find(view->base); temporary != stands_for.end()) {
          view->base = temporary->second;
        } else {
          auto& bytes = recipe.reads[view->base];
          bytes = std::max(bytes, bytes_up_to_end_of(*view));
        }
      }
      if (n != places.back()) {
        recipe.temporaries.push_back(stands_for[command.out.base] = rules_.new_id());
        command.out.base = recipe.temporaries.back();
      }
      recipe.commands.push_back(std::move(command));
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

void Unstored::add(Recipe recipe) {
  const auto id = recipe.array;
  recipes_.insert_or_assign(id, std::move(recipe));
}

Recipe Unstored::take(ArrayId id) { return std::move(recipes_.extract(id).mapped()); }

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
    return std::any_of(recipe.reads.begin(), recipe.reads.end(), [&](const auto& read) {
      return read.second >= large_bytes && dead.contains(read.first);
    });
  });
}

void Unstored::note_errors(std::uint64_t batch, std::span<const protocol::FloatErrors> errors) {
  for (auto& [array, recipe] : recipes_) {
    if (recipe.batch != batch || !recipe.is_heard) continue;
    recipe.is_sound = std::none_of(errors.begin(), errors.end(), [&](const protocol::FloatErrors& each) {
      return std::any_of(recipe.places.begin(), recipe.places.end(), [&](std::size_t place) {
        const auto command = static_cast<std::int32_t>(place);
        return each.first <= command && command <= each.last;
      });
    });
  }
}

}  // namespace gamelan::kernel
