// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/exits.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace gamelan::engine::jit {
namespace {

using Kind = Node::Kind;

constexpr int least_work = 8;   // nodes that an exit must save
constexpr int most_misses = 4;  // conditions in a row without an exit: then there are none in this program
constexpr int zero = Exit::zero, unknown = zero - 1;

class Assumption {
 public:
  /// What is known of each later value if `condition` is false. `known`: nodes up to it, by what they
  /// compute.
  using Key = std::tuple<Kind, Op, Dtype, Dtype, std::array<int, 3>>;
  static Key key_of(const Node& node, const std::array<int, 3>& in) {
    return {node.kind, node.op, node.dtype, node.from, in};
  }

  Assumption(const Trace& trace, const std::map<Key, int>& known, int condition)
      : trace_(trace), known_(known), value_(trace.nodes.size(), unknown) {
    for (int k = 0; k < condition; ++k) value_[static_cast<std::size_t>(k)] = k;
    value_[static_cast<std::size_t>(condition)] = zero;
  }

  /// The exit after `condition`, if everything that is stored later is known there; else nullopt.
  std::optional<Exit> follow(int condition) {
    Exit exit{condition, -1, {}};
    for (int k = condition + 1; k < static_cast<int>(trace_.nodes.size()); ++k) {
      const Node& node = trace_.nodes[static_cast<std::size_t>(k)];
      if (node.kind != Kind::store) {
        value_[static_cast<std::size_t>(k)] = evaluate(node);
        continue;
      }
      const int stored = value(node.in[0]);
      if (stored == unknown) return std::nullopt;
      exit.stores.push_back({stored, k});
    }
    return exit;
  }

 private:
  int value(int number) const { return number < 0 ? number : value_[static_cast<std::size_t>(number)]; }

  int evaluate(const Node& node) const {
    if (node.kind == Kind::load || node.kind == Kind::repeat) return unknown;  // not loaded yet at the exit
    std::array<int, 3> in{};
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = value(node.in[k]);
    if (const auto simple = simplify(node, in)) return *simple;
    for (const int each : in)
      if (each < -1) return unknown;
    const auto found = known_.find(key_of(node, in));
    return found == known_.end() ? unknown : value(found->second);  // the same condition again is false, too
  }

  /// Identities that hold for every value, NaN and -0.0 included: hence none of floating-point sums.
  static std::optional<int> simplify(const Node& node, const std::array<int, 3>& in) {
    const bool is_float = node.dtype == Dtype::float64 || node.dtype == Dtype::float32;
    if (node.kind == Kind::convert) {
      if (in[0] == zero && !is_float) return zero;
      return std::nullopt;
    }
    switch (node.op) {
      case Op::where:
        if (in[0] == zero) return in[2];
        break;
      case Op::copy:
        return in[0];
      case Op::add:
      case Op::bitwise_or:
      case Op::logical_or:
      case Op::bitwise_xor:
      case Op::logical_xor:
        if (is_float) break;
        if (in[0] == zero) return in[1];
        if (in[1] == zero) return in[0];
        break;
      case Op::subtract:
        if (!is_float && in[1] == zero) return in[0];
        break;
      case Op::multiply:
      case Op::bitwise_and:
      case Op::logical_and:
        if (!is_float && (in[0] == zero || in[1] == zero)) return zero;
        break;
      default:
        break;
    }
    return std::nullopt;
  }

  const Trace& trace_;
  const std::map<Key, int>& known_;
  std::vector<int> value_;
};

}  // namespace

std::vector<Exit> find_exits(const Trace& trace) {
  const int count = static_cast<int>(trace.nodes.size());
  std::vector<bool> is_condition(trace.nodes.size(), false);
  for (const Node& node : trace.nodes)
    if (node.kind == Kind::compute && node.op == Op::where)
      is_condition[static_cast<std::size_t>(node.in[0])] = true;
  std::vector<Exit> exits;
  std::map<Assumption::Key, int> known;
  int misses = 0;
  for (int k = 0; k + least_work < count && misses < most_misses; ++k) {
    const Node& node = trace.nodes[static_cast<std::size_t>(k)];
    if (node.kind == Kind::compute || node.kind == Kind::convert)
      known.emplace(Assumption::key_of(node, node.in), k);
    if (is_condition[static_cast<std::size_t>(k)]) {
      auto exit = Assumption(trace, known, k).follow(k);
      misses = exit ? 0 : misses + 1;
      if (exit) exits.push_back(std::move(*exit));
    }
  }
  return exits;
}

std::vector<Exit> widen(const std::vector<Exit>& exits, const Widened& wide, int parts) {
  std::vector<Exit> result;
  const auto place = [&](int value, int part) {
    return wide.places[static_cast<std::size_t>(value)][static_cast<std::size_t>(part)];
  };
  for (const Exit& exit : exits) {
    Exit& widened = result.emplace_back(
        Exit{place(exit.condition, parts - 1), parts > 1 ? place(exit.condition, 0) : -1, {}});
    for (const auto& store : exit.stores)
      for (int part = 0; part < parts; ++part)
        widened.stores.push_back(
            {store.value == Exit::zero ? Exit::zero : place(store.value, part), place(store.node, part)});
  }
  return result;
}

}  // namespace gamelan::engine::jit
