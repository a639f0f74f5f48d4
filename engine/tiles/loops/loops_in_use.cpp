// SPDX-License-Identifier: BSD-3-Clause
// Loops that are looked up as a whole: those of the instruction-set level in use.
#include "engine/tiles/loops/even_bins.hpp"
#include "engine/tiles/loops/extremes.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/loops/masked_rows.hpp"
#include "engine/tiles/loops/split_columns.hpp"

namespace gamelan::engine::tiles {

EvenBinLoop even_bin_loop() { return isa() >= Isa::avx2 ? avx2::even_bin_loop() : baseline::even_bin_loop(); }

AddMaskedRows find_add_masked_rows(protocol::Dtype dtype) {
  return isa() >= Isa::avx2 ? avx2::find_add_masked_rows(dtype) : baseline::find_add_masked_rows(dtype);
}

AddGroupedRows find_add_grouped_rows(protocol::Dtype dtype) {
  return isa() >= Isa::avx2 ? avx2::find_add_grouped_rows(dtype) : baseline::find_add_grouped_rows(dtype);
}

SplitColumns find_split_columns(std::int64_t item_bytes, std::size_t columns) {
  return isa() >= Isa::avx2 ? avx2::find_split_columns(item_bytes, columns)
                            : baseline::find_split_columns(item_bytes, columns);
}

ExtremeLoops extreme_loops(protocol::Dtype dtype, bool is_max) {
  return isa() >= Isa::avx2 ? avx2::extreme_loops(dtype, is_max) : baseline::extreme_loops(dtype, is_max);
}

}  // namespace gamelan::engine::tiles
