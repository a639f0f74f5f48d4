// SPDX-License-Identifier: BSD-3-Clause
// Stands for the loops of a level that a build for one machine leaves out (GAMELAN_LEVELS=native). Looking
// for a loop here finds nothing, so the caller tries the level below. isa.cpp refuses a machine that has only
// such levels. GAMELAN_ABSENT_* say which loops are meant.
#include "engine/tiles/loops/elementwise_tables.hpp"
#include "engine/tiles/loops/even_bins.hpp"
#include "engine/tiles/loops/extremes.hpp"
#include "engine/tiles/loops/folds/fold_tables.hpp"
#include "engine/tiles/loops/masked_rows.hpp"
#include "engine/tiles/loops/moment_tables.hpp"
#include "engine/tiles/loops/scan_tables.hpp"
#include "engine/tiles/loops/small_products.hpp"
#include "engine/tiles/loops/split_columns.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

using protocol::Dtype;
using protocol::Op;

#ifdef GAMELAN_ABSENT_SMALL
Loop loops_of_small_integers(Op, Dtype, Single) { return nullptr; }
Loop loops_of_complexes(Op, Dtype, Single) { return nullptr; }
#endif
#ifdef GAMELAN_ABSENT_LARGE
Loop loops_of_large_integers(Op, Dtype, Single) { return nullptr; }
Loop loops_of_reals(Op, Dtype, Single) { return nullptr; }
#endif
#ifdef GAMELAN_ABSENT_PAIRS
Loop find_pair(const Pair&, Dtype, unsigned) { return nullptr; }
#endif
#ifdef GAMELAN_ABSENT_OTHER
Cast cast_loop(Dtype, Dtype) { return nullptr; }
FoldLoops fold_loops(Op, Dtype) { return {}; }
bool write_identity(Op, Dtype, void*) { return false; }
ScanLoops scan_loops(Op, Dtype) { return {}; }
MomentLoops moment_loops(Dtype) { return {}; }
SmallProductLoop small_product_loop(Dtype) { return nullptr; }
EvenBinLoop even_bin_loop() { return nullptr; }
AddMaskedRows find_add_masked_rows(Dtype) { return nullptr; }
AddGroupedRows find_add_grouped_rows(Dtype) { return nullptr; }
SplitColumns find_split_columns(std::int64_t, std::size_t) { return nullptr; }
ExtremeLoops extreme_loops(Dtype, bool) { return {}; }
#endif

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
