// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/check.hpp"

#include <algorithm>

#include "engine/ranks/lent_memory.hpp"
#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/loops/fold.hpp"
#include "protocol/lanes/lane.hpp"

namespace gamelan::engine {

using protocol::ArrayId;
using protocol::Error;
using protocol::ErrorKind;
using protocol::View;

void Checker::check_view(const View& view, bool is_written) const {
  if (const auto found = made_.find(view.base); found != made_.end()) {
    const auto& whole = found->second;
    return protocol::validate(
        view,
        protocol::element_count(whole.extents) * static_cast<std::int64_t>(protocol::size_of(whole.dtype)),
        is_written);
  }
  const auto bytes = bytes_of_(view.base);
  if (!bytes)
    throw Error(ErrorKind::protocol,
                "[check] array " + std::to_string(view.base) + " does not exist on these engines");
  protocol::validate(view, *bytes, is_written);
}

void Checker::check(const protocol::Batch& batch, const protocol::Command& command) const {
  const auto& row = protocol::info(command.op);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::protocol, "[" + std::string(row.name) + "] " + what);
  };
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) check_view(*view, false);
  if (command.creates) {
    if (made_.contains(command.out.base) || exists_(command.out.base))
      refuse("array " + std::to_string(command.out.base) + " exists already");
    if (command.out.base == 0 || command.out.base >> 63) refuse("array id out of range");
    if (!protocol::is_contiguous(command.out) || command.out.offset != 0)
      refuse("a new array must be contiguous");
    protocol::validate(command.out, INT64_MAX, true);
  } else {
    check_view(command.out, true);
  }
  const auto expect_extents = [&](const View& view) {
    if (view.extents != command.out.extents) refuse("operand extents differ from the result's");
  };
  switch (row.kind) {
    case protocol::RowKind::nullary:
      for (const auto& operand : command.in)
        if (std::holds_alternative<View>(operand)) refuse("takes numbers only");
      if (command.in.size() != 2) refuse("takes two numbers");
      break;
    case protocol::RowKind::unary:
    case protocol::RowKind::binary:
    case protocol::RowKind::ternary:
      if (static_cast<int>(command.in.size()) != row.arity) refuse("wrong number of operands");
      for (const auto& operand : command.in)
        if (const auto* view = std::get_if<View>(&operand)) expect_extents(*view);
      break;
    case protocol::RowKind::reduce: {
      if (command.in.size() != 1 || !std::holds_alternative<View>(command.in[0])) refuse("takes one array");
      const auto& view = std::get<View>(command.in[0]);
      protocol::Shape kept;
      std::size_t next = 0;
      for (std::size_t k = 0; k < view.extents.size(); ++k) {
        if (next < command.ints.size() && command.ints[next] == static_cast<std::int64_t>(k))
          ++next;
        else
          kept.push_back(view.extents[k]);
      }
      if (next != command.ints.size()) refuse("axes must be ascending and in range");
      if (kept != command.out.extents) refuse("result extents are not the kept axes");
      const auto of = protocol::info(command.op).of;
      const auto loop = row.result == protocol::Result::boolean ? protocol::Dtype::bool_ : command.loop;
      if (protocol::element_count(view.extents) == 0 && !tiles::identity(of, loop))
        refuse("has no identity for an empty array");
      break;
    }
    case protocol::RowKind::call:
      if (command.op == protocol::Op::constant) {
        if (!command.in.empty() || command.payload < 0 ||
            command.payload >= static_cast<std::int32_t>(batch.payloads.size()))
          refuse("needs a payload frame");
        const auto elements = static_cast<std::size_t>(protocol::element_count(command.out.extents));
        const auto wanted = elements * protocol::size_of(command.loop);
        const auto& payload = batch.payloads[static_cast<std::size_t>(command.payload)];
        if (const auto lent = protocol::lent_by(payload, elements, command.loop)) {
          if (lent_memory() == nullptr || !protocol::LaneRegion::holds(*lent))
            refuse("lends elements in memory that the ranks do not share");
        } else if (!batch.explain && payload.size() != wanted) {
          refuse("payload has the wrong size");
        }
      } else if (command.op == protocol::Op::matmul) {  // the codec has checked all others completely
        if (command.in.size() != 2) refuse("takes two arrays");
        const auto* left = std::get_if<View>(&command.in[0]);
        const auto* right = std::get_if<View>(&command.in[1]);
        const auto& out = command.out.extents;
        const auto dims = out.size();
        if (!left || !right || dims < 2 || left->extents.size() != dims || right->extents.size() != dims ||
            !command.creates || command.out.dtype != command.loop)
          refuse("needs two matrices and a new result of the loop dtype");
        if (left->extents[dims - 1] != right->extents[dims - 2] || left->extents[dims - 2] != out[dims - 2] ||
            right->extents[dims - 1] != out[dims - 1])
          refuse("inner extents differ");
        for (std::size_t k = 0; k + 2 < dims; ++k)
          if (left->extents[k] != out[k] || right->extents[k] != out[k]) refuse("leading extents differ");
      }
      break;
  }
  if (protocol::is_elementwise(command.op) && command.op != protocol::Op::copy &&
      !tiles::find_loop(command.op, command.loop))
    refuse("is not defined for dtype " + std::string(protocol::info(command.loop).name));
}

std::optional<Refusal> Checker::find_fault(const protocol::Batch& batch) {
  for (std::size_t c = 0; c < batch.commands.size(); ++c) {
    const auto& command = batch.commands[c];
    try {
      check(batch, command);
    } catch (const Error& error) {
      return Refusal{static_cast<std::int64_t>(c), error};
    }
    if (command.creates) made_.emplace(command.out.base, command.out);
  }
  if (const auto bad = std::find_if(batch.fetches.begin(), batch.fetches.end(),
                                    [&](const View& view) { return fault_of(view); });
      bad != batch.fetches.end())
    return Refusal{static_cast<std::int64_t>(batch.commands.size()), *fault_of(*bad)};
  return std::nullopt;
}

std::optional<Error> Checker::fault_of(const View& view) const {
  try {
    check_view(view, false);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace gamelan::engine
