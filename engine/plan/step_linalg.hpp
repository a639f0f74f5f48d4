// SPDX-License-Identifier: BSD-3-Clause
// Matrix products, Fourier transforms and linear algebra.
#pragma once
#include <vector>

#include "engine/distribution/cyclic.hpp"
#include "engine/plan/slot.hpp"
#include "protocol/linalg.hpp"

namespace gamelan::engine::plan {

/// A product is computed in tiles of this size, counted from the first element, whatever the blocks are: BLAS
/// rounds differently at the edge of a matrix and within it.
inline constexpr std::int64_t matmul_tile_rows = 128, matmul_tile_columns = 256;

/// A matrix product, or a stack of them.
struct Matmul {
  Operand left, right;  ///< iteration spaces (batch..., m, k) and (batch..., k, n)
  int out = -1;
  Dtype dtype{};
  Shape extents;  ///< of out
  std::int64_t inner = 0;
  bool is_halved = false;  ///< computes half of the tiles (gram_computes); MirrorTiles follows
};

/// A product of long and thin matrices: its inner axis in chunks, which depend on the shape and not on the
/// ranks. Every rank fills a table for each of its chunks.
struct MatmulChunks {
  Matmul product;
  std::int64_t chunks = 1, length = 0;  ///< how many, and of how many elements
  std::int64_t per_rank = 1;            ///< chunks of a rank
  int tables = -1;
};
/// True for a matrix times its own transpose, of which half need be computed. The same on every rank.
bool is_gram(const Matmul& product);
/// True for a large one, of which half the tiles are computed, and mirrored into the others.
bool is_halved(const Matmul& product);
/// Of such a product, tiles of matmul_tile_columns by as many, `tiles` in a row: of tile (row, column) and
/// tile (column, row) one is computed. Each row has nearly half of them, wherever blocks are cut.
bool gram_computes(std::int64_t row, std::int64_t column, std::int64_t tiles);
/// The length of a chunk; 0 for a product that is better shared by elements of its result. Does not depend on
/// the number of ranks.
std::int64_t matmul_chunk_length(const Matmul& product);

/// Second half of a halved product: every rank copies the tiles that it has not computed from where their
/// transposes are.
struct MirrorTiles {
  Operand mirrored;  ///< the result, transposed
  int out = -1;
  Dtype dtype{};
};

/// Second half: the owner of an element adds the tables in the order of the chunks.
struct AddChunks {
  MatmulChunks chunks;
  int out = -1;
};

/// Transforms lines along `axis` one by one (protocol/fourier.hpp). Each line lies with one rank.
struct FourierLines {
  Operand input;
  Dtype dtype{};
  std::size_t axis = 0;
  std::int64_t kind = 0, length = 0, period = 0;
  double factor = 1;
  int out = -1;
};

/// Linear algebra on whole matrices: each rank computes those whose results it owns.
struct WholeMatrices {
  protocol::Linalg routine{};
  Operand a, b;  ///< b: right-hand sides; slot -1 where there are none
  Dtype a_dtype{}, b_dtype{}, loop{};
  bool flag = false;        ///< eigh: the lower triangle counts
  double rcond = 0;         ///< least_squares: what counts as 0, of the largest singular value
  int work = -1, out = -1;  ///< work: room for one matrix of each kind
};

/// One large matrix, first part: every rank takes its blocks of an operand, as ScaLAPACK lays them out.
struct SpreadBlocks {
  Operand source;
  Dtype dtype{}, loop{};
  distribution::Cyclic blocks;
  int to = -1;
};

/// A matrix among the results that ScaLAPACK leaves in a slot, and where it goes in the result of the
/// command.
struct BlockedResult {
  int slot = -1;
  std::int64_t offset = 0;  ///< elements from the start of a rank's block of the slot
  distribution::Cyclic blocks;
  std::int64_t first_row = 0;
  bool is_transposed = false;  ///< goes there with rows and columns exchanged
  bool is_lower = false;       ///< zeros above the diagonal, there
};

/// Second part: the routine. Either all ranks call it together, or none does.
struct BlockedMatrix {
  protocol::Linalg routine{};
  Dtype loop{};
  bool flag = false;
  distribution::Cyclic a_blocks, b_blocks;
  int a = -1, b = -1, made = -1;  ///< slots; b of solve only, made of what does not end in them
  std::vector<BlockedResult> results;
};

/// Third part: every rank fetches its block of the result from the ranks that have it.
struct CollectBlocks {
  std::vector<BlockedResult> results;
  Dtype loop{};
  int out = -1;
};

}  // namespace gamelan::engine::plan
