// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_trace.hpp"

#include <algorithm>

#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::tiles {
namespace {

using Action = StorageAssignment::Action;
using Kind = jit::Node::Kind;
using protocol::Dtype;

class Tracer {
 public:
  Tracer(const Renamed& renamed, const StorageAssignment& storage, jit::InstructionSet set)
      : renamed_(renamed),
        storage_(storage),
        set_(set),
        last_use_(renamed.values.size(), -1),
        node_(renamed.values.size(), -1) {
    for (std::size_t m = 0; m < storage.moves.size(); ++m)
      for (const int value : step_of(storage.moves[m]).in)
        if (value >= 0) last_use_[static_cast<std::size_t>(value)] = static_cast<int>(m);
  }

  std::vector<TracedMoves> run() {
    std::vector<TracedMoves> result;
    for (std::size_t first = 0; first < storage_.moves.size();) {
      std::size_t last = first;
      std::ptrdiff_t computing = 0;
      jit::Width width = jit::Width::any;
      for (; last < storage_.moves.size() && may_trace(storage_.moves[last]); ++last) {
        const jit::Width of_move = width_of(storage_.moves[last]);
        if (width == jit::Width::any)
          width = of_move;
        else if (of_move != jit::Width::any && of_move != width)
          break;
        computing += weight(storage_.moves[last]);
      }
      if (computing >= 2) result.push_back(trace(first, last));
      first = std::max(last, first + 1);
    }
    return result;
  }

 private:
  const Step& step_of(const StorageAssignment::Move& move) const {
    return renamed_.steps[static_cast<std::size_t>(move.step)];
  }
  Dtype dtype(int value) const { return renamed_.values[static_cast<std::size_t>(value)].dtype; }
  const OperandTraits& traits(int operand) const {
    return storage_.traits[static_cast<std::size_t>(operand)];
  }

  /// How much a move gains in a trace. A selection by bytes of truth gains alone: its loop widens each byte.
  /// So does an operation whose result is stored past the cache: it waits for memory in both directions at
  /// once. To copy or convert a tile of bytes takes less time than to call somebody for it.
  std::ptrdiff_t weight(const StorageAssignment::Move& move) const {
    const Step& step = step_of(move);
    if (move.action == Action::scatter && step.streams) return 1;
    if (move.action != Action::compute) return width_of(move) == jit::Width::byte ? 1 : 0;
    return step.is_pair || step.op == protocol::Op::where ? 2 : 1;
  }

  /// A move that may be traced has numbers of one width.
  jit::Width width_of(const StorageAssignment::Move& move) const {
    const Step& step = step_of(move);
    jit::Width width = jit::Width::any;
    const auto note = [&](int value) {
      if (value >= 0 && width == jit::Width::any) width = jit::width_of(dtype(value));
    };
    for (const int value : step.in) note(value);
    note(step.out);
    return width;
  }

  bool may_trace(const StorageAssignment::Move& move) const {
    const Step& step = step_of(move);
    switch (move.action) {
      case Action::compute:
        return step.is_pair || (!step.is_nullary && jit::computes(step.op, step.loop_dtype, set_));
      case Action::cast:
        return jit::converts(dtype(step.in[0]), dtype(step.out), set_);
      // A storage assignment does not know the dtypes of operands, so only copies without a cast are taken.
      case Action::gather:
        return step.is_same_dtype && traits(step.operand).is_contiguous && jit::holds(dtype(step.out), set_);
      case Action::scatter:
        return step.is_same_dtype && traits(step.operand).is_contiguous && !traits(step.operand).has_gaps &&
               jit::holds(dtype(step.in[0]), set_);
    }
    return false;
  }

  int place_of(Place place) const {
    return place.kind == Place::Kind::operand ? place.number
                                              : static_cast<int>(storage_.traits.size()) + place.number;
  }

  int add(jit::Node node) {
    result_.trace.nodes.push_back(node);
    return static_cast<int>(result_.trace.nodes.size()) - 1;
  }

  /// True for elements that are the same in all tiles and positions: their place may hold only one.
  bool is_repeated(int value, Place place) const {
    const Step& source =
        renamed_.steps[static_cast<std::size_t>(renamed_.values[static_cast<std::size_t>(value)].defined_at)];
    if (source.kind == Instruction::Kind::constant) return true;
    if (source.kind != Instruction::Kind::load) return false;
    const OperandTraits& from = traits(source.operand);
    const bool is_in_place = place.kind == Place::Kind::operand && place.number == source.operand;
    return !from.is_contiguous && (from.is_scalar || is_in_place);
  }

  int read(int value, Place place) {
    int& known = node_[static_cast<std::size_t>(value)];
    if (known < 0) {
      const bool is_repeat = is_repeated(value, place);
      known = add({.kind = is_repeat ? Kind::repeat : Kind::load,
                   .dtype = dtype(value),
                   .place = place_of(place),
                   .streams = !is_repeat && place.kind == Place::Kind::operand && is_asked_ahead(value)});
    }
    return known;
  }

  bool is_asked_ahead(int value) const {
    const auto source = renamed_.values[static_cast<std::size_t>(value)].defined_at;
    const Step& step = renamed_.steps[static_cast<std::size_t>(source)];
    return step.kind == Instruction::Kind::load && step.streams && asks_ahead();
  }

  void store(int node, Dtype of, int place, bool streams) {
    add({.kind = Kind::store, .dtype = of, .in = {node, -1, -1}, .place = place, .streams = streams});
  }

  /// A value of the trace has been computed. It is written to its place if something reads it there later.
  void define(const StorageAssignment::Move& move, int node) {
    const int value = step_of(move).out;
    node_[static_cast<std::size_t>(value)] = node;
    const bool is_read_later = last_use_[static_cast<std::size_t>(value)] >= static_cast<int>(result_.last);
    if (move.out.kind == Place::Kind::operand || is_read_later)
      store(node, dtype(value), place_of(move.out), false);
  }

  TracedMoves trace(std::size_t first, std::size_t last) {
    result_ = {first, last, {}};
    std::fill(node_.begin(), node_.end(), -1);
    for (const OperandTraits& each : storage_.traits) {
      result_.trace.alias.push_back(each.alias);
      result_.trace.wraps.push_back(each.wraps);
    }
    for (std::size_t slot = 0; slot < storage_.slots.size(); ++slot)
      result_.trace.alias.push_back(static_cast<int>(result_.trace.alias.size()));
    result_.trace.wraps.resize(result_.trace.alias.size(), false);
    for (std::size_t m = first; m < last; ++m) add_move(storage_.moves[m]);
    return std::move(result_);
  }

  void add_move(const StorageAssignment::Move& move) {
    const Step& step = step_of(move);
    std::array<int, 3> in{-1, -1, -1};
    for (std::size_t k = 0, from = 0; k < in.size(); ++k)
      if (step.in[k] >= 0) in[k] = read(step.in[k], move.in[from++]);
    switch (move.action) {
      case Action::gather:
        return define(move, add({.kind = Kind::load,
                                 .dtype = dtype(step.out),
                                 .place = step.operand,
                                 .streams = is_asked_ahead(step.out)}));
      case Action::cast:
        return define(
            move,
            add({.kind = Kind::convert, .dtype = dtype(step.out), .from = dtype(step.in[0]), .in = in}));
      case Action::scatter:
        return store(in[0], dtype(step.in[0]), step.operand, step.streams);
      case Action::compute:
        break;
    }
    const Dtype loop = step.loop_dtype;
    if (step.is_pair) {
      const int inner = add({.kind = Kind::compute,
                             .op = step.pair.inner,
                             .dtype = loop,
                             .from = loop,
                             .in = {in[0], in[1], -1}});
      in = step.pair.is_inner_left ? std::array<int, 3>{inner, in[2], -1}
                                   : std::array<int, 3>{in[2], inner, -1};
      return define(
          move, add({.kind = Kind::compute, .op = step.pair.outer, .dtype = loop, .from = loop, .in = in}));
    }
    define(move,
           add({.kind = Kind::compute, .op = step.op, .dtype = dtype(step.out), .from = loop, .in = in}));
  }

  const Renamed& renamed_;
  const StorageAssignment& storage_;
  const jit::InstructionSet set_;
  std::vector<int> last_use_;  // by value: move
  std::vector<int> node_;      // by value, in the trace at hand
  TracedMoves result_;
};

}  // namespace

std::vector<TracedMoves> find_traces(const Renamed& renamed, const StorageAssignment& storage,
                                     jit::InstructionSet set) {
  return Tracer(renamed, storage, set).run();
}

}  // namespace gamelan::engine::tiles
