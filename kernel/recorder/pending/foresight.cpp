// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/foresight.hpp"

#include <algorithm>
#include <utility>

#include "kernel/recorder/pending/scalar_steps.hpp"
#include "kernel/recorder/pending/work.hpp"

namespace gamelan::kernel {
namespace {

using protocol::ArrayId;
using protocol::Command;
using protocol::Scalar;
using protocol::View;

constexpr std::size_t most_loops = 4;             // two looks in a turn are two loops
constexpr std::size_t most_commands = 16;         // of a turn: each look compares them
constexpr std::size_t most_commands_ahead = 256;  // of a request, which must be planned
constexpr std::int64_t most_turns = 64;           // of a request
constexpr std::int64_t most_elements = 4'096;     // that a turn looks at: they are kept here
constexpr std::int64_t unknown = -1;

/// Which of the commands makes the array; `unknown`: it is older.
std::int64_t maker(std::span<const Command> commands, ArrayId id) {
  for (std::size_t index = 0; index < commands.size(); ++index)
    if (commands[index].out.base == id) return static_cast<std::int64_t>(index);
  return unknown;
}

bool is_alike(const View& left, const View& right) {
  return left.dtype == right.dtype && left.offset == right.offset && left.extents == right.extents &&
         left.strides == right.strides;
}

}  // namespace

std::optional<std::vector<std::int64_t>> Foresight::steps(const Turn& from, std::span<const Command> to,
                                                          const std::vector<View>& views,
                                                          bool of_same_arrays) {
  if (from.commands.size() != to.size() || from.views.size() != views.size()) return std::nullopt;
  const std::span<const Command> before(from.commands);
  const auto is_same = [&](const View& left, const View& right) {
    const auto made = maker(before, left.base);
    return is_alike(left, right) && made == maker(to, right.base) &&
           (made != unknown || !of_same_arrays || left.base == right.base);
  };
  std::vector<std::int64_t> found;
  for (std::size_t at = 0; at < to.size(); ++at) {
    const Command &left = before[at], &right = to[at];
    if (left.op != right.op || left.loop != right.loop || left.ints != right.ints ||
        left.creates != right.creates || (left.payload < 0) != (right.payload < 0) ||
        left.in.size() != right.in.size() || !is_alike(left.out, right.out))
      return std::nullopt;
    for (std::size_t k = 0; k < left.in.size(); ++k) {
      if (left.in[k].index() != right.in[k].index()) return std::nullopt;
      if (const auto* view = std::get_if<View>(&left.in[k])) {
        if (!is_same(*view, std::get<View>(right.in[k]))) return std::nullopt;
        continue;
      }
      const auto &first = std::get<Scalar>(left.in[k]), &second = std::get<Scalar>(right.in[k]);
      std::int64_t step = 0;
      if (first != second) {
        const auto begin = number_of(first), end = number_of(second);
        if (first.dtype != second.dtype || !begin || !end || __builtin_sub_overflow(*end, *begin, &step))
          return std::nullopt;
      }
      found.push_back(step);
    }
  }
  for (std::size_t at = 0; at < views.size(); ++at)
    if (!is_same(from.views[at], views[at])) return std::nullopt;
  return found;
}

bool Foresight::begins_again(Loop& loop, std::span<const Command> turn, const std::vector<View>& views) {
  const auto step = steps(loop.first, turn, views, false);
  if (!step || std::any_of(step->begin(), step->end(), [](auto each) { return each != 0; })) return false;
  if (loop.turns > 1) loop.before = loop.turns;
  loop.turns = 1;
  loop.has_failed = false;
  loop.first = {{turn.begin(), turn.end()}, views};
  loop.known.clear();
  return true;
}

/// The same for a turn behind other commands. The first run of a loop was noted from its second turn on.
bool Foresight::begins_behind_others(Loop& loop, std::span<const Command> turn,
                                     const std::vector<View>& views) {
  if (loop.turns < 2) return false;
  const auto step = steps(loop.first, turn, views, false);
  if (!step) return false;
  const bool is_first = std::all_of(step->begin(), step->end(), [](auto each) { return each == 0; });
  for (std::size_t k = 0; k < step->size(); ++k) {
    std::int64_t sum = 0;
    if (!is_first && (__builtin_add_overflow((*step)[k], loop.step[k], &sum) || sum != 0)) return false;
  }
  loop.before = loop.turns + (is_first ? 0 : 1);
  loop.turns = 1;
  loop.first = {{turn.begin(), turn.end()}, views};
  loop.known.clear();
  return true;
}

bool Foresight::find_first_turn(const protocol::Batch& pending, std::uint64_t recorded,
                                const std::vector<View>& views, std::int64_t most_work) {
  const std::span<const Command> commands(pending.commands);
  const auto loop = std::find_if(loops_.begin(), loops_.end(), [&](Loop& each) {
    const auto length = each.first.commands.size();
    return length < recorded && length < commands.size() &&
           std::all_of(commands.end() - static_cast<std::ptrdiff_t>(length), commands.end(), is_simple) &&
           begins_behind_others(each, commands.last(length), views);
  });
  if (loop == loops_.end()) return false;
  const bool has_failed = std::exchange(loop->has_failed, false);  // in the last run
  loops_.splice(loops_.begin(), loops_, loop);
  loop->shown.clear();
  for (const View& view : views) loop->shown.push_back(view.base);
  is_first_turn_ = !loop->is_kept && !has_failed && turns_ahead(*loop, most_work) > 1;
  return true;
}

void Foresight::begin_behind_others(const std::function<bool(ArrayId)>& may_read) {
  is_first_turn_ = false;
  is_of_loop_ = is_computed(loops_.front().first, may_read);
}

/// True when nothing that the turn reads is pending but what it makes.
bool Foresight::is_computed(const Turn& turn, const std::function<bool(ArrayId)>& may_read) {
  return std::all_of(turn.commands.begin(), turn.commands.end(), [&](const Command& command) {
    return std::all_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
      const auto* view = std::get_if<View>(&operand);
      return view == nullptr || maker(turn.commands, view->base) != unknown || may_read(view->base);
    });
  });
}

bool Foresight::goes_on(Loop& loop, std::span<const Command> turn, const std::vector<View>& views) {
  auto step = steps(loop.first, turn, views, true);
  if (!step || std::all_of(step->begin(), step->end(), [](auto each) { return each == 0; })) return false;
  if (loop.turns == 1 && *step != loop.step) {
    loop.step = std::move(*step);
    loop.before = 0;
    loop.known.clear();
  } else {
    for (std::size_t k = 0; k < step->size(); ++k) {
      std::int64_t expected = 0;
      if (__builtin_mul_overflow(loop.step[k], loop.turns, &expected) || (*step)[k] != expected) return false;
    }
  }
  ++loop.turns;
  return true;
}

void Foresight::note(std::span<const Command> turn, const std::vector<View>& views) {
  auto loop = std::find_if(loops_.begin(), loops_.end(), [&](Loop& each) {
    return goes_on(each, turn, views) || begins_again(each, turn, views);
  });
  if (loop == loops_.end()) {
    if (loops_.size() == most_loops) loops_.pop_back();
    loop = loops_.insert(loops_.begin(), Loop{});
    loop->first = {{turn.begin(), turn.end()}, views};
  }
  loops_.splice(loops_.begin(), loops_, loop);
}

std::optional<Foresight::Elements> Foresight::look(const protocol::Batch& pending, std::uint64_t recorded,
                                                   const std::vector<View>& views, const Rules& rules) {
  const auto count = recorded - std::exchange(recorded_, recorded);
  is_of_loop_ = false;
  is_first_turn_ = false;
  ++epoch_;
  if (find_first_turn(pending, count, views, rules.most_work)) return std::nullopt;
  if (count == 0 || count > most_commands || count > pending.commands.size()) return std::nullopt;
  const auto turn = std::span(pending.commands).last(count);
  std::int64_t elements = 0;
  for (const View& view : views) {
    elements += protocol::element_count(view.extents);
    if (maker(turn, view.base) == unknown) return std::nullopt;
  }
  if (elements > most_elements || !std::all_of(turn.begin(), turn.end(), is_simple)) return std::nullopt;
  note(turn, views);
  Loop& loop = loops_.front();
  for (std::size_t at = 0; at < turn.size(); ++at) loop.first.commands[at].origin = turn[at].origin;
  if (loop.turns > 1 && !std::all_of(loop.shown.begin(), loop.shown.end(), rules.has_died))
    loop.is_kept = true;
  loop.shown.clear();
  for (const View& view : views) loop.shown.push_back(view.base);
  std::optional<Elements> known;  // of this turn, whether it may be used or not
  if (!loop.known.empty()) {
    known = std::move(loop.known.front());
    loop.known.pop_front();
  }
  is_of_loop_ = is_computed(loop.first, rules.may_read);
  if (!is_of_loop_ || (rules.watched & ~loop.watched) != 0) {
    loop.known.clear();
    return std::nullopt;
  }
  return known;
}

/// How many turns are to be computed at once, with the one that is looked at. The others find in cache what
/// the first has read.
std::int64_t Foresight::turns_ahead(const Loop& loop, std::int64_t most_work) {
  const auto begun = loop.turns - 1;
  const auto turns = std::min(loop.before > begun ? loop.before - begun : begun, most_turns);
  TouchedArrays touched;
  std::int64_t work[2] = {};  // of the first turn, of another
  for (auto& each : work) {
    for (const Command& command : loop.first.commands)
      each += work_of(command, loop.first.commands.front().out.base, touched);
    for (const Command& command : loop.first.commands) touch(touched, command);
  }
  const auto others = (most_work - work[0]) / std::max<std::int64_t>(work[1], 1);
  return std::min({turns, work[0] > most_work ? 0 : 1 + others,
                   static_cast<std::int64_t>(most_commands_ahead / loop.first.commands.size())});
}

std::optional<Foresight::Ahead> Foresight::ahead(const Rules& rules) {
  if (!is_of_loop_ || loops_.front().is_kept || loops_.front().has_failed) return std::nullopt;
  Loop& loop = loops_.front();
  loop.known.clear();
  const auto begun = loop.turns - 1;  // before this one
  const auto turns = turns_ahead(loop, rules.most_work);
  Ahead found{{}, epoch_, loop.first.views.size(), loop.first.commands.size()};
  for (std::int64_t turn = begun; turn < begun + turns; ++turn)
    if (!add_turn(loop, turn, rules, found.look)) break;
  if (found.look.commands.size() < 2 * found.commands) return std::nullopt;
  found.look.watched = loop.watched = rules.watched;
  return found;
}

/// Writes the commands of a turn, 0 for the first. False, and nothing is written, where one of its numbers is
/// none of its dtype.
bool Foresight::add_turn(const Loop& loop, std::int64_t turn, const Rules& rules, PartialLook& look) {
  std::vector<Command> commands = loop.first.commands;
  std::size_t number = 0;
  for (Command& command : commands)
    for (auto& operand : command.in)
      if (auto* scalar = std::get_if<Scalar>(&operand);
          scalar && !advance(*scalar, loop.step[number++], turn))
        return false;
  std::vector<ArrayId> made;
  const auto now = [&](View view) {
    if (const auto by = maker(loop.first.commands, view.base); by != unknown)
      view.base = made[static_cast<std::size_t>(by)];
    return view;
  };
  for (Command& command : commands) {
    for (auto& operand : command.in)
      if (auto* view = std::get_if<View>(&operand)) *view = now(*view);
    command.out.base = rules.new_id();
    made.push_back(command.out.base);
    look.commands.push_back(std::move(command));
  }
  for (const View& view : loop.first.views) look.fetches.push_back(now(view));
  look.made.insert(look.made.end(), made.begin(), made.end());
  return true;
}

std::optional<Foresight::Elements> Foresight::keep(const Ahead& ahead, std::vector<protocol::Bytes> answer,
                                                   std::size_t sound) {
  const auto views = static_cast<std::ptrdiff_t>(ahead.views);
  const auto turns = std::min(sound / ahead.commands, answer.size() / ahead.views);
  std::deque<Elements> known;
  for (auto each = answer.begin(); known.size() < turns; each += views)
    known.emplace_back(std::make_move_iterator(each), std::make_move_iterator(each + views));
  std::optional<Elements> first;
  if (!known.empty()) {
    first = std::move(known.front());
    known.pop_front();
  }
  if (ahead.epoch != epoch_) return first;  // another thread has looked meanwhile, or changed an array
  loops_.front().has_failed = !first;
  loops_.front().known = std::move(known);
  return first;
}

void Foresight::note_freed(std::span<const ArrayId> ids) {
  for (Loop& loop : loops_)
    std::erase_if(loop.shown, [&](ArrayId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); });
}

void Foresight::forget() noexcept {
  ++epoch_;
  for (Loop& loop : loops_) loop.known.clear();
}

}  // namespace gamelan::kernel
