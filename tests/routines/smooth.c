/* SPDX-License-Identifier: BSD-3-Clause */
/* The worked example of docs/routines.md in C: one Jacobi sweep over a plane, each rank over its own block.
 * Neighbours' rows and columns come by GA's one-sided NGA_Get, and nobody writes before all have read. */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

/* smooth(plane): every inner element becomes the mean of its four neighbours. */
int smooth(int arrays, const int* handles, int numbers, const double* values) {
  int type, dims, extents[2], low[2], high[2], from[2], to[2], stride[1];
  (void)numbers;
  (void)values;
  if (arrays != 1) return 1;
  NGA_Inquire(handles[0], &type, &dims, extents);
  if (type != C_DBL || dims != 2) return 2;
  NGA_Distribution(handles[0], GA_Nodeid(), low, high); /* inclusive; a rank without a block has high < low */
  double *with_rim = NULL, *means = NULL;
  const int rows = high[0] - low[0] + 1, columns = high[1] - low[1] + 1;
  const int is_owner = high[0] >= low[0] && high[1] >= low[1];
  if (is_owner) {
    for (int k = 0; k < 2; ++k) {
      from[k] = larger(low[k] - 1, 0);
      to[k] = smaller(high[k] + 1, extents[k] - 1);
    }
    stride[0] = to[1] - from[1] + 1;
    with_rim = malloc(sizeof(double) * (size_t)(to[0] - from[0] + 1) * (size_t)stride[0]);
    means = malloc(sizeof(double) * (size_t)rows * (size_t)columns);
    if (!with_rim || !means) GA_Error("smooth: no memory", 0);
    NGA_Get(handles[0], from, to, with_rim, stride);
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j) {
        const double* at = with_rim + (size_t)(i - from[0]) * (size_t)stride[0] + (j - from[1]);
        const int is_inner = i > 0 && j > 0 && i + 1 < extents[0] && j + 1 < extents[1];
        means[(size_t)(i - low[0]) * (size_t)columns + (size_t)(j - low[1])] =
            is_inner ? 0.25 * (at[-stride[0]] + at[stride[0]] + at[-1] + at[1]) : *at;
      }
  }
  GA_Sync();
  if (is_owner) {
    stride[0] = columns;
    NGA_Put(handles[0], low, high, means, stride);
  }
  free(with_rim);
  free(means);
  return 0;
}

/* add_scaled(y, x, ..., a): y += a * x, by GA's own whole-array call; x may be y's neighbour in any layout.
 */
int add_scaled(int arrays, const int* handles, int numbers, const double* values) {
  double one = 1, factor;
  if (arrays != 2 || numbers != 1) return 1;
  factor = values[0];
  GA_Add(&one, handles[0], &factor, handles[1], handles[0]);
  return 0;
}

/* refuse(x): what the notebook sees of an error that one rank finds. */
int refuse(int arrays, const int* handles, int numbers, const double* values) {
  (void)arrays;
  (void)handles;
  (void)numbers;
  (void)values;
  return GA_Nodeid() == GA_Nnodes() - 1 ? 3 : 0;
}
