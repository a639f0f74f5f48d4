// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/postponed.hpp"

#include <algorithm>

namespace gamelan::kernel {
namespace {

using protocol::ArrayId;
using protocol::Command;
using protocol::View;

constexpr std::size_t most_commands = 16;  // that lead to one array
constexpr std::size_t most_watched = 16, most_lines = 256;

bool is_simple(const Command& command) {
  const auto kind = protocol::info(command.op).kind;
  return command.creates && command.payload < 0 && kind != protocol::RowKind::nullary &&
         kind != protocol::RowKind::call;
}

template <class Visit>
void for_each_read(const Command& command, Visit visit) {
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) visit(view->base);
}

class Postponing {
 public:
  Postponing(const protocol::Batch& pending, const std::unordered_set<ArrayId>& dead,
             std::span<const View> fetches, const PostponeRules& rules)
      : commands_(pending.commands), dead_(dead), rules_(rules) {
    for (std::size_t n = 0; n < commands_.size(); ++n)
      if (commands_[n].creates)
        makers_[commands_[n].out.base] = n;
      else
        changed_.insert(commands_[n].out.base);
    for (const View& view : fetches) fetched_.insert(view.base);
  }

  std::optional<Postponed> run() {
    result_.is_kept.assign(commands_.size(), false);
    bool has_any = false;
    for (std::size_t n = 0; n < commands_.size(); ++n) {
      const auto& out = commands_[n].out;
      if (!is_simple(commands_[n]) || bytes_of(out) < least_postponed_bytes || dead_.contains(out.base) ||
          fetched_.contains(out.base) || !rules_.is_wanted(n))
        continue;
      std::vector<bool> cone(commands_.size(), false);
      std::size_t count = 0;
      if (!find_cone(n, cone, count)) continue;
      for (std::size_t k = 0; k < cone.size(); ++k) result_.is_kept[k] = result_.is_kept[k] || cone[k];
      has_any = true;
    }
    if (!has_any) return std::nullopt;
    return write() ? std::optional(std::move(result_)) : std::nullopt;
  }

 private:
  /// The commands that compute a result from what will be in memory. False where something changes that.
  bool find_cone(std::size_t n, std::vector<bool>& cone, std::size_t& count) const {
    if (cone[n]) return true;
    if (changed_.contains(commands_[n].out.base) || ++count > most_commands) return false;
    cone[n] = true;
    bool is_sound = true;
    for_each_read(commands_[n], [&](ArrayId id) {
      if (changed_.contains(id) || !rules_.may_read(id)) is_sound = false;
      const auto maker = makers_.find(id);
      if (!is_sound || maker == makers_.end()) return;
      if (dead_.contains(id) && is_simple(commands_[maker->second]))
        is_sound = find_cone(maker->second, cone, count);
    });
    return is_sound;
  }

  /// Writes the batch. False where a command stays that nothing else needs, although somebody is to hear of
  /// its floating-point errors: they would come late.
  bool write() {
    std::vector<bool> is_sent(commands_.size());
    std::unordered_set<ArrayId> read;
    for (std::size_t n = commands_.size(); n-- > 0;) {
      is_sent[n] = !result_.is_kept[n] || read.contains(commands_[n].out.base);
      if (is_sent[n])
        for_each_read(commands_[n], [&](ArrayId id) { read.insert(id); });
      else if (rules_.has_listener(n))
        return false;
    }
    std::unordered_map<ArrayId, ArrayId> stands_for;
    for (std::size_t n = 0; n < commands_.size(); ++n) {
      Command command = commands_[n];
      for (auto& operand : command.in)
        if (auto* view = std::get_if<View>(&operand))
          if (const auto found = stands_for.find(view->base); found != stands_for.end())
            view->base = found->second;
      if (result_.is_kept[n]) {
        result_.needed.insert(command.out.base);
        for_each_read(commands_[n], [&](ArrayId id) { result_.needed.insert(id); });
        if (!is_sent[n]) continue;
        const auto id = rules_.new_id();
        stands_for[command.out.base] = id;
        command.out.base = id;
        result_.made.push_back(id);
      }
      result_.commands.push_back(std::move(command));
      result_.from.push_back(n);
    }
    return true;
  }

  const std::vector<Command>& commands_;
  const std::unordered_set<ArrayId>& dead_;
  const PostponeRules& rules_;
  std::unordered_map<ArrayId, std::size_t> makers_;
  std::unordered_set<ArrayId> changed_;  // in place
  std::unordered_set<ArrayId> fetched_;
  Postponed result_;
};

}  // namespace

std::optional<Postponed> postpone(const protocol::Batch& pending, const std::unordered_set<ArrayId>& dead,
                                  std::span<const View> fetches, const PostponeRules& rules) {
  return Postponing(pending, dead, fetches, rules).run();
}

void ShortLived::note_sent(ArrayId id, const SourceLine& line) {
  if (std::any_of(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.id == id; }))
    return;
  if (watched_.size() == most_watched) watched_.erase(watched_.begin());
  watched_.push_back({id, line});
}

void ShortLived::note_freed(std::span<const ArrayId> ids) {
  if (watched_.empty()) return;
  for (const ArrayId id : ids) note(id, true);
}

void ShortLived::note(ArrayId id, bool is_unread) {
  const auto found =
      std::find_if(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.id == id; });
  if (found == watched_.end()) return;
  if (lines_.size() >= most_lines) lines_.clear();
  lines_[found->line] = is_unread;
  watched_.erase(found);
}

}  // namespace gamelan::kernel
