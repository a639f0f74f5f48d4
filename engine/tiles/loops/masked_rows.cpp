// SPDX-License-Identifier: BSD-3-Clause
// Sums of masked rows: the loop for the instruction-set level in use.
#include "engine/tiles/loops/masked_rows.hpp"

#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::tiles {

AddMaskedRows find_add_masked_rows(protocol::Dtype dtype) {
  return isa() >= Isa::avx2 ? avx2::find_add_masked_rows(dtype) : baseline::find_add_masked_rows(dtype);
}

AddGroupedRows find_add_grouped_rows(protocol::Dtype dtype) {
  return isa() >= Isa::avx2 ? avx2::find_add_grouped_rows(dtype) : baseline::find_add_grouped_rows(dtype);
}

}  // namespace gamelan::engine::tiles
