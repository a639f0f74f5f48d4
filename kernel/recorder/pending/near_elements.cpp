// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/near_elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <variant>

#include "kernel/local/arithmetic.hpp"
#include "kernel/recorder/pending/arithmetic_of.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Bytes;
using protocol::Command;
using protocol::Dtype;
using protocol::Op;
using protocol::View;

namespace {

constexpr int single_looks = 2;                // before the next brings the elements around
constexpr std::int64_t window_bytes = 32'768;  // a fetch of so much takes hardly longer than one of a number
constexpr std::int64_t most_elements = 1024;   // of a look; for more the way is not what takes long
constexpr std::size_t most_arrays = 64, most_windows = 4;

bool is_of_float64(const Command& command) {
  const auto is_float64 = [](const auto& operand) { return operand.dtype == Dtype::float64; };
  return command.loop == Dtype::float64 && is_float64(command.out) &&
         std::all_of(command.in.begin(), command.in.end(),
                     [&](const auto& operand) { return std::visit(is_float64, operand); });
}

/// True for what is computed here once all of its operands are.
bool can_compute(const PartialLook& look) {
  const auto is_computed = [](const Command& command) {
    return is_of_float64(command) && (arithmetic_of(command.op) || command.op == Op::copy) &&
           protocol::element_count(command.out.extents) <= most_elements;
  };
  const auto is_float64 = [](const View& view) { return view.dtype == Dtype::float64; };
  return std::all_of(look.commands.begin(), look.commands.end(), is_computed) &&
         std::all_of(look.fetches.begin(), look.fetches.end(), is_float64);
}

/// The bytes around a part of an array that are worth fetching with it, all of them read by the whole look.
std::optional<View> window(const PartialLook::Read& read) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(read.part.dtype));
  const auto [first, last] = protocol::byte_range(read.part);
  auto from = first - (first - read.around.first) % window_bytes;
  if (last > from + window_bytes) from = first;
  const auto until = std::min(from + window_bytes, read.around.last);
  if (from < read.around.first || last > until || (until - from) % item != 0) return std::nullopt;
  return View{read.part.base, read.part.dtype, from, {(until - from) / item}, {item}};
}

}  // namespace

/// nullptr when not all of the part is here.
const NearElements::Window* NearElements::find(const View& part) const {
  const auto near = arrays_.find(part.base);
  if (near == arrays_.end()) return nullptr;
  const auto range = protocol::byte_range(part);
  for (const Window& window : near->second.windows)
    if (range.first >= window.first &&
        range.last <= window.first + static_cast<std::int64_t>(window.bytes.size()))
      return &window;
  return nullptr;
}

std::optional<std::vector<double>> NearElements::elements_of(const View& part) const {
  const Window* const window = find(part);
  if (window == nullptr) return std::nullopt;
  std::vector<double> elements(static_cast<std::size_t>(protocol::element_count(part.extents)));
  protocol::Shape at(part.extents.size(), 0);
  auto offset = part.offset - window->first;
  for (double& element : elements) {
    std::memcpy(&element, window->bytes.data() + offset, sizeof element);
    for (std::size_t k = at.size(); k-- > 0; at[k] = 0) {
      offset += part.strides[k];
      if (++at[k] < part.extents[k]) break;
      offset -= part.extents[k] * part.strides[k];
    }
  }
  return elements;
}

std::optional<NearElements::Elements> NearElements::compute(const PartialLook& look) const {
  if (arrays_.empty() || !can_compute(look)) return std::nullopt;
  const auto is_here = [&](const PartialLook::Read& read) { return find(read.part) != nullptr; };
  if (!std::all_of(look.reads.begin(), look.reads.end(), is_here)) return std::nullopt;
  std::vector<std::pair<ArrayId, std::vector<double>>> made;
  const auto find_made = [&](const View& view) {
    return std::find_if(made.begin(), made.end(), [&](const auto& each) { return each.first == view.base; });
  };
  for (const Command& command : look.commands) {
    const auto what = arithmetic_of(command.op);
    std::array<std::vector<double>, 2> in;
    for (std::size_t k = 0; k < command.in.size(); ++k) {
      if (const auto* scalar = std::get_if<protocol::Scalar>(&command.in[k])) {
        std::memcpy(&in[k].emplace_back(), scalar->bytes.data(), sizeof(double));
        continue;
      }
      const auto& view = std::get<View>(command.in[k]);
      const auto maker = find_made(view);  // of all its elements, in their order
      auto elements = maker != made.end() ? std::optional(maker->second) : elements_of(view);
      if (!elements) return std::nullopt;
      in[k] = *std::move(elements);
    }
    std::vector<double> out(static_cast<std::size_t>(protocol::element_count(command.out.extents)));
    const auto numbers = [&](std::size_t k) { return Numbers{in[k].data(), in[k].size() == 1}; };
    if (!what)
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[0][in[0].size() == 1 ? 0 : i];
    else if (!kernel::compute(*what, numbers(0), numbers(1), out.data(), out.size()))
      return std::nullopt;
    made.emplace_back(command.out.base, std::move(out));
  }
  Elements found;
  for (const View& view : look.fetches) {
    const auto maker = find_made(view);
    const auto elements = maker != made.end() ? std::optional(maker->second) : elements_of(view);
    if (!elements) return std::nullopt;
    const auto* first = reinterpret_cast<const std::byte*>(elements->data());
    found.emplace_back(first, first + elements->size() * sizeof(double));
  }
  return found;
}

std::vector<View> NearElements::wanted(const PartialLook& look) {
  if (!can_compute(look)) return {};
  if (arrays_.size() > most_arrays) arrays_.clear();
  std::vector<View> views;
  std::vector<Near*> counted;
  for (const auto& read : look.reads) {
    if (find(read.part) != nullptr) continue;
    Near& near = arrays_[read.part.base];
    if (std::find(counted.begin(), counted.end(), &near) == counted.end()) {
      counted.push_back(&near);
      ++near.looks;
    }
    if (near.looks <= single_looks) continue;
    if (auto view = window(read); view && std::find(views.begin(), views.end(), *view) == views.end())
      views.push_back(*std::move(view));
  }
  return views;
}

void NearElements::keep(const std::vector<View>& views, Elements elements) {
  for (std::size_t k = 0; k < views.size(); ++k) {
    auto& [looks, windows] = arrays_[views[k].base];
    looks = 0;
    if (windows.size() == most_windows) windows.erase(windows.begin());
    windows.push_back({views[k].offset, std::move(elements[k])});
  }
}

void NearElements::forget() noexcept {
  ++epoch_;
  arrays_.clear();
}

}  // namespace gamelan::kernel
