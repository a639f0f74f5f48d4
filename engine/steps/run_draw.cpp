// SPDX-License-Identifier: BSD-3-Clause
// draw: random numbers of a distribution. Each may need any number of random words, so each element has a
// substream, chosen by its place in the result, and every rank fills its block alone. Parameters that are
// arrays are read where they lie.
#include <array>
#include <vector>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/chunks.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "protocol/distributions.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t chunk = 4096;  // elements

/// The last axes of a part of an array that are one row of places: each but the first of them is whole.
std::size_t axes_of_row(const protocol::Shape& part, const protocol::Shape& array) {
  std::size_t axes = part.empty() ? 0 : 1;
  while (axes < part.size() && part[part.size() - axes] == array[part.size() - axes]) ++axes;
  return axes;
}

}  // namespace

void run(const StepContext& context, const plan::Draw& draw) {
  const auto& info = context.info(draw.out);
  if (!info.layout.takes_part(context.rank())) return;
  const auto mine = info.layout.box(context.rank());
  if (is_empty(mine)) return;
  constexpr auto item = static_cast<std::int64_t>(sizeof(double));
  const auto out_item = protocol::size_of(info.dtype);
  const auto block_strides = protocol::contiguous_strides(distribution::extents_of(mine), out_item);
  const auto places = protocol::contiguous_strides(info.extents, 1);
  const auto count = draw.parameters.size();
  std::vector<std::vector<double>> buffers(count);
  std::array<const double*, protocol::most_distribution_parameters> rows{};
  std::array<std::int64_t, protocol::most_distribution_parameters> steps{};
  for (std::size_t k = 0; k < count; ++k) {
    const auto& parameter = draw.parameters[k];
    buffers[k].assign(parameter.operand ? chunk : 1, parameter.number);
    steps[k] = parameter.operand ? 1 : 0;
  }
  std::vector<double> numbers(chunk);
  const int level = static_cast<int>(tiles::isa());
  for_each_chunk(mine, chunk, -1, [&](const distribution::Box& part) {
    const auto extents = distribution::extents_of(part);
    const auto strides = protocol::contiguous_strides(extents, sizeof(double));
    for (std::size_t k = 0; k < count; ++k)
      if (const auto& parameter = draw.parameters[k]; parameter.operand)
        copy_operand(context, *parameter.operand, parameter.dtype, protocol::Dtype::float64, part,
                     reinterpret_cast<std::byte*>(buffers[k].data()), strides);
    const auto outer = extents.size() - axes_of_row(extents, info.extents);
    std::int64_t length = 1;
    for (std::size_t k = outer; k < extents.size(); ++k) length *= extents[k];
    std::int64_t target = 0;
    for (std::size_t k = 0; k < part.size(); ++k)
      target += (part[k].first - mine[k].first) * block_strides[k];
    protocol::Shape index(outer, 0);
    for (std::int64_t done = 0; done < distribution::volume(part); done += length) {
      std::int64_t place = 0;
      for (std::size_t k = 0; k < extents.size(); ++k)
        place += (part[k].first + (k < outer ? index[k] : 0)) * places[k];
      for (std::size_t k = 0; k < count; ++k) rows[k] = buffers[k].data() + done * steps[k];
      protocol::draw_row(draw.distribution, level, draw.key, draw.offset + static_cast<std::uint64_t>(place),
                         {rows.data(), count}, {steps.data(), count},
                         {numbers.data() + done, static_cast<std::size_t>(length)});
      for (std::size_t k = index.size(); k-- > 0 && ++index[k] == extents[k];) index[k] = 0;
    }
    copy_box(protocol::Dtype::float64, info.dtype, extents,
             reinterpret_cast<const std::byte*>(numbers.data()),
             extents.empty() ? protocol::Shape{item} : strides, context.own_block(draw.out) + target,
             block_strides);
    context.progress();
  });
}

}  // namespace gamelan::engine::steps
