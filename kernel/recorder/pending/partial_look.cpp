// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/partial_look.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gamelan::kernel {
namespace {

using protocol::ArrayId;
using protocol::Command;
using protocol::View;

constexpr std::size_t most_commands = 16;

/// True for a command of which each element comes from those at its place in the operands.
bool is_apart(const Command& command) {
  return protocol::is_elementwise(command.op) &&
         protocol::info(command.op).kind != protocol::RowKind::nullary && command.payload < 0;
}

class Parts {
 public:
  Parts(const protocol::Batch& pending, const LookRules& rules) : rules_(rules) {
    for (const Command& command : pending.commands)
      if (command.creates)
        makers_[command.out.base] = &command;
      else
        changed_.insert(command.out.base);
  }

  /// Makes `view` one of the same elements that needs nothing pending. False when there is none.
  /// `is_within`: they are read for elements of a large array.
  bool find(View& view, bool is_within = false) {
    if (changed_.contains(view.base) || !rules_.may_read(view.base)) return false;
    const auto maker = makers_.find(view.base);
    if (maker == makers_.end()) return true;
    for (const auto& [of, part] : known_)
      if (of == view) {
        view = part;
        return true;
      }
    const View wanted = view;
    if (!compute(*maker->second, view, is_within)) return false;
    known_.emplace_back(wanted, view);
    return true;
  }

  PartialLook take() { return std::move(look_); }

 private:
  /// Computes the elements that `view` has of what a command makes; `view` is then what was computed.
  bool compute(const Command& whole, View& view, bool is_within) {
    if (!is_apart(whole) || view.dtype != whole.out.dtype || ++begun_ > most_commands) return false;
    const auto all = protocol::element_count(whole.out.extents);
    if (protocol::are_few(1, all)) {
      if (!protocol::are_few(protocol::element_count(view.extents), all)) return false;
      if (!std::exchange(is_within, true)) look_.looked_at.push_back(view);
    }
    const auto part = protocol::axis_wise(view, whole.out.extents, whole.out.dtype);
    if (!part) return false;
    Command command = whole;
    for (auto& operand : command.in)
      if (auto* of = std::get_if<View>(&operand)) {
        const auto base = of->base;
        const auto around = protocol::byte_range(*of);
        *of = part_of(*of, *part, view.extents);
        if (!find(*of, is_within)) return false;
        if (of->base == base) look_.reads.push_back({*of, around});  // nothing had to be made
      }
    command.out = view = protocol::whole(rules_.new_id(), whole.out.dtype, view.extents);
    look_.commands.push_back(std::move(command));
    look_.made.push_back(view.base);
    return true;
  }

  /// An operand of a command, whose extents are those of its result, at some elements of the result.
  static View part_of(const View& operand, const protocol::AxisWise& part, const protocol::Shape& extents) {
    View found = operand;
    found.extents = extents;
    found.strides.assign(extents.size(), 0);
    for (std::size_t k = 0; k < part.fixed.size(); ++k) found.offset += part.fixed[k] * operand.strides[k];
    for (std::size_t k = 0; k < part.axes.size(); ++k)
      if (const auto& axis = part.axes[k]; axis.base_axis >= 0)
        found.strides[k] = axis.step * operand.strides[static_cast<std::size_t>(axis.base_axis)];
    return found;
  }

  const LookRules& rules_;
  std::unordered_map<ArrayId, const Command*> makers_;
  std::unordered_set<ArrayId> changed_;       // in place
  std::vector<std::pair<View, View>> known_;  // a view, and what has its elements
  PartialLook look_;
  std::size_t begun_ = 0;  // commands, those within each other included
};

}  // namespace

std::optional<PartialLook> partial_look(const protocol::Batch& pending, const std::vector<View>& views,
                                        const LookRules& rules) {
  // Most looks end here, before all that is pending is put in tables.
  bool is_pending = false;
  for (const View& view : views) {
    const auto made = std::find_if(
        pending.commands.rbegin(), pending.commands.rend(),
        [&](const Command& command) { return command.creates && command.out.base == view.base; });
    if (made == pending.commands.rend()) continue;
    is_pending = true;
    if (!is_apart(*made)) return std::nullopt;
  }
  if (!is_pending) return std::nullopt;
  Parts parts(pending, rules);
  std::vector<View> fetches = views;
  for (View& view : fetches)
    if (protocol::element_count(view.extents) == 0 || !parts.find(view)) return std::nullopt;
  PartialLook look = parts.take();
  if (look.looked_at.empty()) return std::nullopt;
  look.fetches = std::move(fetches);
  return look;
}

}  // namespace gamelan::kernel
