// SPDX-License-Identifier: BSD-3-Clause
// Even bins: the loop for the instruction-set level in use.
#include "engine/tiles/loops/even_bins.hpp"

#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::tiles {

EvenBinLoop even_bin_loop() { return isa() >= Isa::avx2 ? avx2::even_bin_loop() : baseline::even_bin_loop(); }

}  // namespace gamelan::engine::tiles
