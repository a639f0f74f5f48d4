// SPDX-License-Identifier: BSD-3-Clause
// Expands distributions.def.
#include "protocol/distributions.hpp"

#include <array>

#include "protocol/discrete_methods.hpp"

namespace gamelan::protocol {
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

}  // namespace

int distribution_count() { return static_cast<int>(table.size()); }
const Distribution& distribution(int number) { return table[static_cast<std::size_t>(number)]; }

void draw_row(int number, std::uint64_t key, std::uint64_t counter, std::span<const double* const> parameters,
              std::span<const std::int64_t> steps, std::span<double> out) {
  const auto& which = distribution(number);
  std::array<double, most_distribution_parameters> p{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    bool has_nan = false;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      p[k] = parameters[k][static_cast<std::int64_t>(i) * steps[k]];
      has_nan = has_nan || std::isnan(p[k]);
    }
    Substream stream(key, counter + i);
    out[i] = has_nan ? nothing : which.draw(stream, p.data());
  }
}

}  // namespace gamelan::protocol
