// SPDX-License-Identifier: BSD-3-Clause
// Products of long and thin matrices (the Gram matrix of a table, X.T @ r), where the result is too small to
// be shared: the inner axis is cut into chunks by the shape alone, each rank multiplies some of them where
// they lie, and the owner of an element adds its shares by rising chunk. So the bits are the same at any
// number of ranks.
#include <algorithm>
#include <cstring>

#include "engine/steps/linalg/matmul_panels.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/tiles/loops/fold.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t panel = 2048;  // of the inner axis

}  // namespace

void run(const StepContext& context, const plan::MatmulChunks& step) {
  const auto& product = step.product;
  const auto m = product.extents[0], n = product.extents[1];
  const auto bytes = static_cast<std::size_t>(m * n) * protocol::size_of(product.dtype);
  const auto first = step.per_rank * context.rank();
  const auto last = std::min(first + step.per_rank, step.chunks);
  Panels left(context, product.left, product.dtype), right(context, product.right, product.dtype);
  const bool may_halve = plan::is_gram(product);
  std::byte* table = context.own_block(step.tables);
  for (auto chunk = first; chunk < last; ++chunk, table += bytes) {
    const auto stop = std::min((chunk + 1) * step.length, product.inner);
    for (auto at = chunk * step.length; at < stop; at += panel) {
      const distribution::Interval inner{at, std::min(at + panel, stop)};
      const auto a = left.at({{0, m}, inner});
      const bool goes_on = at != chunk * step.length;
      if (!may_halve || !tiles::gram(product.dtype, m, inner.size(), a, table, n, goes_on))
        tiles::gemm(product.dtype, m, n, inner.size(), a, right.at({inner, {0, n}}), table, n, goes_on);
      context.progress();
    }
  }
}

void run(const StepContext& context, const plan::AddChunks& add) {
  const auto& layout = context.info(add.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (is_empty(mine)) return;
  const auto& chunks = add.chunks;
  const auto dtype = chunks.product.dtype;
  const auto n = chunks.product.extents[1], elements = chunks.product.extents[0] * n;
  const auto item = static_cast<std::int64_t>(protocol::size_of(dtype)), width = mine[1].size();
  std::byte* out = context.own_block(add.out);
  for (std::int64_t chunk = 0; chunk < chunks.chunks; ++chunk) {
    const std::byte* table = context.block(chunks.tables, static_cast<int>(chunk / chunks.per_rank)) +
                             chunk % chunks.per_rank * elements * item;
    for (auto row = mine[0].first; row < mine[0].last; ++row) {
      const std::byte* from = table + (row * n + mine[1].first) * item;
      std::byte* to = out + (row - mine[0].first) * width * item;
      if (chunk == 0)
        std::memcpy(to, from, static_cast<std::size_t>(width * item));
      else
        tiles::fold_rows(protocol::Op::add, dtype, from, 1, width, to);
    }
  }
}

}  // namespace gamelan::engine::steps
