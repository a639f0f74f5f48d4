// SPDX-License-Identifier: BSD-3-Clause
// Expands distributions.def, and draws rows: in chunks, and what a chunk leaves one by one.
#include "protocol/distributions.hpp"

#include <algorithm>
#include <array>

#include "protocol/discrete_methods.hpp"

namespace gamelan::protocol {

// distribution_chunks_level.cpp
namespace baseline {
DrawChunk draw_chunk_of(int distribution);
}
#if defined(__x86_64__)
namespace avx2 {
DrawChunk draw_chunk_of(int distribution);
}
namespace avx512 {
DrawChunk draw_chunk_of(int distribution);
}
#endif

DrawChunk draw_chunk_of(int distribution, [[maybe_unused]] int level) {
#if defined(__x86_64__)
  if (level >= 2) return avx512::draw_chunk_of(distribution);
  if (level == 1) return avx2::draw_chunk_of(distribution);
#endif
  return baseline::draw_chunk_of(distribution);
}

namespace {

using namespace methods;

constexpr std::array table{
#define DISTRIBUTION(name, parameters, formula) \
  Distribution{                                 \
      #name, parameters,                        \
      []([[maybe_unused]] Substream& s, [[maybe_unused]] const double* p) -> double { return formula; }},
#include "protocol/distributions.def"
#undef DISTRIBUTION
};

/// Fewer numbers than this are drawn one by one: a chunk takes as long as so many.
constexpr std::size_t least_of_chunk = 6;

struct Row {
  const Distribution& which;
  std::uint64_t key, counter;
  std::span<const double* const> parameters;
  std::span<const std::int64_t> steps;

  double parameter(std::size_t k, std::size_t i) const {
    return parameters[k][static_cast<std::int64_t>(i) * steps[k]];
  }
  double one(std::size_t i) const {
    std::array<double, most_distribution_parameters> p{};
    bool has_nan = false;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      p[k] = parameter(k, i);
      has_nan = has_nan || std::isnan(p[k]);
    }
    Substream stream(key, counter + i);
    return has_nan ? nothing : which.draw(stream, p.data());
  }
};

void draw_chunks(DrawChunk chunk, const Row& row, std::span<double> out) {
  double p[most_distribution_parameters][draw_chunk], numbers[draw_chunk];
  for (std::size_t k = 0; k < row.parameters.size(); ++k) std::fill_n(p[k], draw_chunk, row.parameter(k, 0));
  for (std::size_t done = 0; done < out.size(); done += draw_chunk) {
    const auto count = std::min(draw_chunk, out.size() - done);
    for (std::size_t k = 0; k < row.parameters.size(); ++k)
      if (row.steps[k] != 0)
        for (std::size_t j = 0; j < draw_chunk; ++j)
          p[k][j] = row.parameter(k, done + std::min(j, count - 1));
    chunk(row.key, row.counter + done, p, numbers);
    for (std::size_t j = 0; j < count; ++j)
      out[done + j] = std::isnan(numbers[j]) ? row.one(done + j) : numbers[j];
  }
}

}  // namespace

int distribution_count() { return static_cast<int>(table.size()); }
const Distribution& distribution(int number) { return table[static_cast<std::size_t>(number)]; }

void draw_row(int number, int level, std::uint64_t key, std::uint64_t counter,
              std::span<const double* const> parameters, std::span<const std::int64_t> steps,
              std::span<double> out) {
  const Row row{distribution(number), key, counter, parameters, steps};
  const DrawChunk chunk = out.size() < least_of_chunk ? nullptr : draw_chunk_of(number, level);
  if (chunk != nullptr) return draw_chunks(chunk, row, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = row.one(i);
}

}  // namespace gamelan::protocol
