// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/schedule.hpp"

#include <algorithm>
#include <limits>

namespace gamelan::engine::jit {
namespace {

using Kind = Node::Kind;

constexpr int never = std::numeric_limits<int>::max();

/// Registers, and the values in them.
struct Bank {
  int first;
  std::vector<int> holder;  // register -> value, -1

  int find_free() const {
    const auto free = std::find(holder.begin(), holder.end(), -1);
    return free == holder.end() ? -1 : static_cast<int>(free - holder.begin());
  }
};

class Scheduler {
 public:
  Scheduler(const Trace& trace, const std::vector<Exit>& exits, const Registers& registers)
      : trace_(trace),
        exits_(exits),
        has_masks_(registers.masks > 0),
        uses_(trace.nodes.size()),
        next_use_(trace.nodes.size(), 0),
        register_(trace.nodes.size(), -1),
        slot_(trace.nodes.size(), -1),
        may_reload_(trace.nodes.size(), false),
        vectors_{0, std::vector<int>(static_cast<std::size_t>(registers.vectors), -1)},
        masks_{registers.first_mask, std::vector<int>(static_cast<std::size_t>(registers.masks), -1)} {
    note_uses();
  }

  Schedule run(bool keeps_wrapped) {
    if (keeps_wrapped) keep_wrapped();
    keep_repeated();
    std::size_t exit = 0;
    for (int n = 0; n < count(); ++n) {
      now_ = time_of(n);
      schedule(n);
      if (exit < exits_.size() && exits_[exit].condition == n) leave(exits_[exit++]);
    }
    return std::move(result_);
  }

 private:
  /// The time of a node. The time of an exit lies between that of its condition and the next node's.
  static int time_of(int n) { return 2 * n; }
  int count() const { return static_cast<int>(trace_.nodes.size()); }
  const Node& at(int n) const { return trace_.nodes[static_cast<std::size_t>(n)]; }
  bool is_mask(int value) const { return at(value).dtype == Dtype::bool_; }
  Bank& bank(int value) { return is_mask(value) && has_masks_ ? masks_ : vectors_; }

  void note_uses() {
    for (int n = 0; n < count(); ++n)
      for (const int value : at(n).in)
        if (value >= 0) uses_[static_cast<std::size_t>(value)].push_back(time_of(n));
    for (const Exit& exit : exits_) {
      if (exit.other >= 0) uses_[static_cast<std::size_t>(exit.other)].push_back(time_of(exit.condition) + 1);
      uses_[static_cast<std::size_t>(exit.condition)].push_back(time_of(exit.condition) + 1);
      for (const auto& store : exit.stores)
        if (store.value >= 0)
          uses_[static_cast<std::size_t>(store.value)].push_back(time_of(exit.condition) + 1);
    }
    for (auto& each : uses_) std::sort(each.begin(), each.end());
    for (int n = 0; n < count(); ++n) {
      if (at(n).kind != Kind::load && at(n).kind != Kind::repeat) continue;
      const auto alias = [&](int place) { return trace_.alias[static_cast<std::size_t>(place)]; };
      may_reload_[static_cast<std::size_t>(n)] =
          std::none_of(trace_.nodes.begin(), trace_.nodes.end(), [&](const Node& node) {
            return node.kind == Kind::store && alias(node.place) == alias(at(n).place);
          });
    }
  }

  /// The first use of a value after now.
  int next_use(int value) {
    const auto v = static_cast<std::size_t>(value);
    auto& next = next_use_[v];
    while (next < uses_[v].size() && uses_[v][next] <= now_) ++next;
    return next < uses_[v].size() ? uses_[v][next] : never;
  }

  /// How many registers no value has where the trace needs most.
  std::size_t spare_registers() const {
    const Pressure most = pressure(trace_);
    const int needed = has_masks_ ? most.vectors : most.all;
    const auto kept = static_cast<int>(
        std::count_if(vectors_.holder.begin(), vectors_.holder.end(), [](int value) { return value >= 0; }));
    return static_cast<std::size_t>(
        std::max(0, static_cast<int>(vectors_.holder.size()) - 2 - needed - kept));
  }
  /// Reads a value before the first element, to a register that is its own from then on.
  void read_once(int value) {
    is_kept_.push_back(value);
    put(value, vectors_.find_free());
    result_.once.push_back({.kind = Action::Kind::fetch,
                            .node = value,
                            .dtype = at(value).dtype,
                            .out = place_of(value),
                            .in = {home_of(value)},
                            .exit = -1});
  }

  /// Keeps the elements of places that wrap in registers, where all that is done with them is to fold other
  /// values into them. The result of such a fold has the register of what it began with.
  void keep_wrapped() {
    const auto is_used_once = [&](int value) { return uses_[static_cast<std::size_t>(value)].size() == 1; };
    auto spare = spare_registers();
    for (int n = 0; n < count() && spare > 0; ++n) {
      const Node& store = at(n);
      if (store.kind != Kind::store || store.dtype == Dtype::bool_ ||
          !trace_.wraps[static_cast<std::size_t>(store.place)])
        continue;
      const int sum = store.in[0], element = at(sum).in[0];
      if (at(sum).kind != Kind::compute || element < 0 || !is_used_once(sum) || !is_used_once(element))
        continue;
      const Node& load = at(element);
      if (load.kind != Kind::load || load.place != store.place || load.part != store.part) continue;
      read_once(element);
      is_kept_.push_back(sum);
      is_kept_.push_back(n);
      register_[static_cast<std::size_t>(sum)] = register_[static_cast<std::size_t>(element)];
      result_.last.push_back({.kind = Action::Kind::store,
                              .node = n,
                              .dtype = store.dtype,
                              .out = {},
                              .in = {place_of(element)},
                              .exit = -1});
      --spare;
    }
  }

  /// Keeps repeated elements in registers all the time: as many as there are free registers where the trace
  /// needs most.
  void keep_repeated() {
    std::vector<int> repeated;
    for (int n = 0; n < count(); ++n)
      if (at(n).kind == Kind::repeat && at(n).dtype != Dtype::bool_ &&
          !uses_[static_cast<std::size_t>(n)].empty() && may_reload_[static_cast<std::size_t>(n)])
        repeated.push_back(n);
    std::stable_sort(repeated.begin(), repeated.end(), [&](int x, int y) {
      return uses_[static_cast<std::size_t>(x)].size() > uses_[static_cast<std::size_t>(y)].size();
    });
    repeated.resize(std::min(repeated.size(), spare_registers()));
    for (const int n : repeated) read_once(n);
  }
  bool is_kept(int value) const {
    return std::find(is_kept_.begin(), is_kept_.end(), value) != is_kept_.end();
  }

  void put(int value, int number) {
    bank(value).holder[static_cast<std::size_t>(number)] = value;
    register_[static_cast<std::size_t>(value)] = number;
  }
  void drop(int value) {
    int& number = register_[static_cast<std::size_t>(value)];
    if (number < 0) return;
    bank(value).holder[static_cast<std::size_t>(number)] = -1;
    number = -1;
  }
  /// Gives up what a value holds that is not used any more.
  void finish(int value) {
    drop(value);
    int& slot = slot_[static_cast<std::size_t>(value)];
    if (slot >= 0) left_slots_.push_back(slot);
    slot = -1;
  }
  int take_slot() {
    if (free_slots_.empty()) return result_.spill_slots++;
    const int slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  Source place_of(int value) {
    const int number = register_[static_cast<std::size_t>(value)];
    if (number < 0) return home_of(value);
    return {is_mask(value) ? Source::Kind::mask : Source::Kind::vector, bank(value).first + number};
  }
  /// Where a value lies when it has no register.
  Source home_of(int value) const {
    const int slot = slot_[static_cast<std::size_t>(value)];
    if (slot >= 0) return {Source::Kind::spill, slot};
    return {at(value).kind == Kind::load ? Source::Kind::element : Source::Kind::repeat, at(value).place};
  }

  /// Takes a register for `value`, from another value if needed, but not from those of `pinned`.
  Source take(int value, const std::array<int, 3>& pinned) {
    Bank& from = bank(value);
    int number = from.find_free();
    if (number < 0) {
      int latest = -1;
      for (std::size_t k = 0; k < from.holder.size(); ++k) {
        const int other = from.holder[k];
        if (is_kept(other) || std::find(pinned.begin(), pinned.end(), other) != pinned.end()) continue;
        const int use = distance(other);
        if (use > latest) {
          latest = use;
          number = static_cast<int>(k);
        }
      }
      evict(from.holder[static_cast<std::size_t>(number)]);
    }
    put(value, number);
    return place_of(value);
  }
  /// How far away the next use of a value is. To put away and bring back one that is in no memory yet delays
  /// its next use, while another is read from memory beside the operation; so it counts as much nearer.
  int distance(int value) {
    constexpr int nearer = 5;
    const int use = next_use(value);
    const auto v = static_cast<std::size_t>(value);
    return use == never || may_reload_[v] || slot_[v] >= 0 ? use : now_ + (use - now_) / nearer;
  }
  void evict(int value) {
    const auto v = static_cast<std::size_t>(value);
    if (slot_[v] < 0 && !may_reload_[v] && next_use(value) != never) {
      const Source from = place_of(value);
      slot_[v] = take_slot();
      result_.actions.push_back({.kind = Action::Kind::spill,
                                 .node = value,
                                 .dtype = at(value).dtype,
                                 .out = home_of(value),
                                 .in = {from},
                                 .exit = -1});
    }
    drop(value);
  }

  void fetch(int value, const std::array<int, 3>& pinned) {
    if (register_[static_cast<std::size_t>(value)] >= 0) return;
    const Source from = home_of(value);
    const Source to = take(value, pinned);
    result_.actions.push_back({.kind = Action::Kind::fetch,
                               .node = value,
                               .dtype = at(value).dtype,
                               .out = to,
                               .in = {from},
                               .exit = -1});
  }

  void schedule(int n) {
    free_slots_.insert(free_slots_.end(), left_slots_.begin(), left_slots_.end());
    left_slots_.clear();
    const Node& node = at(n);
    const bool is_read = node.kind == Kind::load || node.kind == Kind::repeat;
    if (node.kind == Kind::store && is_kept(n)) return;  // stored behind the last element
    if (is_read) {
      if (is_kept(n) || uses_[static_cast<std::size_t>(n)].empty() ||
          may_reload_[static_cast<std::size_t>(n)])
        return;  // loaded when it is needed
      const Source from = home_of(n);
      const Source to = take(n, {-1, -1, -1});
      result_.actions.push_back(
          {.kind = Action::Kind::fetch, .node = n, .dtype = node.dtype, .out = to, .in = {from}, .exit = -1});
      return;
    }
    // The second operand may stay in memory if it is needed only this once, or another value would have to
    // make room for it.
    const int second = node.in[1];
    const bool stays = second >= 0 && second != node.in[0] && takes_memory(node) &&
                       register_[static_cast<std::size_t>(second)] < 0 &&
                       (next_use(second) == never || bank(second).find_free() < 0);
    for (std::size_t k = 0; k < node.in.size(); ++k)
      if (node.in[k] >= 0 && !(k == 1 && stays)) fetch(node.in[k], node.in);
    Action action{.kind = node.kind == Kind::store ? Action::Kind::store : Action::Kind::compute,
                  .node = n,
                  .dtype = node.dtype,
                  .out = {},
                  .exit = -1};
    for (std::size_t k = 0; k < node.in.size(); ++k)
      if (node.in[k] >= 0) action.in[k] = place_of(node.in[k]);
    for (const int value : node.in)
      if (value >= 0 && !is_kept(value) && next_use(value) == never) finish(value);
    if (node.kind == Kind::store) {
      result_.actions.push_back(action);
      return;
    }
    if (uses_[static_cast<std::size_t>(n)].empty()) return;
    action.out = is_kept(n) ? place_of(n) : take(n, {-1, -1, -1});
    result_.actions.push_back(action);
  }

  void leave(const Exit& exit) {
    if (exit.other >= 0) fetch(exit.other, {exit.condition, -1, -1});
    fetch(exit.condition, {exit.other, -1, -1});
    result_.exits.emplace_back();
    for (const auto& store : exit.stores)
      result_.exits.back().push_back(
          {store.value == Exit::zero ? Source{} : place_of(store.value), store.node});
    Action action{.kind = Action::Kind::leave,
                  .node = exit.condition,
                  .dtype = Dtype::bool_,
                  .out = {},
                  .in = {place_of(exit.condition)},
                  .exit = -1};
    if (exit.other >= 0) action.in[1] = place_of(exit.other);
    ++now_;  // what the exit stores is needed up to here
    action.exit = static_cast<int>(result_.exits.size()) - 1;
    result_.actions.push_back(action);
    for (const int value : {exit.condition, exit.other})
      if (value >= 0 && next_use(value) == never) finish(value);
    for (const auto& store : exit.stores)
      if (store.value >= 0 && !is_kept(store.value) && next_use(store.value) == never) finish(store.value);
  }

  const Trace& trace_;
  const std::vector<Exit>& exits_;
  const bool has_masks_;
  std::vector<std::vector<int>> uses_;        // by value: times, rising
  std::vector<std::size_t> next_use_;         // by value: into uses_
  std::vector<int> register_, slot_;          // by value, -1
  std::vector<bool> may_reload_;              // by value: its place is never written
  std::vector<int> is_kept_;                  // values, and the stores of kept ones
  std::vector<int> free_slots_, left_slots_;  // the latter may still be read by the present action
  Bank vectors_, masks_;
  int now_ = -1;
  Schedule result_;
};

}  // namespace

bool takes_memory(const Node& node) {
  if (node.kind != Kind::compute || node.from == Dtype::bool_) return false;
  switch (node.op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
      return true;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return node.from == Dtype::float64 || node.from == Dtype::float32;
    default:
      return false;
  }
}

Schedule make_schedule(const Trace& trace, const std::vector<Exit>& exits, const Registers& registers,
                       bool keeps_wrapped) {
  return Scheduler(trace, exits, registers).run(keeps_wrapped);
}

}  // namespace gamelan::engine::jit
