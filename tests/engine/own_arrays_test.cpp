// SPDX-License-Identifier: BSD-3-Clause
// Arrays that Global Arrays makes itself, outside of the heap, as users' routines do: what a rank writes in
// place is what the others get. On MPICH 4.0 it was not (docs/decisions/026).
#include <ga.h>
#include <macdecls.h>

#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using testing::comm;

/// Every rank writes its part of an array of `each` elements per rank in place, and gets the whole; returns
/// how many differ.
template <class T>
int wrong_elements(int type, int each) {
  int length = each * comm().size(), whole = 0, last = length - 1, lo = 0, hi = 0, unused = 0, wrong = 0;
  char name[] = "own";
  const int array = NGA_Create(type, 1, &length, name, nullptr);
  T* mine = nullptr;
  NGA_Distribution(array, comm().rank(), &lo, &hi);
  if (lo <= hi) {
    NGA_Access(array, &lo, &hi, static_cast<void*>(&mine), &unused);
    for (int i = lo; i <= hi; ++i) mine[i - lo] = static_cast<T>(i % 97 + 1);
    NGA_Release_update(array, &lo, &hi);
  }
  GA_Sync();
  std::vector<T> all(static_cast<std::size_t>(length));
  NGA_Get(array, &whole, &last, all.data(), &unused);
  for (int i = 0; i < length; ++i) wrong += all[static_cast<std::size_t>(i)] != static_cast<T>(i % 97 + 1);
  GA_Sync();
  GA_Destroy(array);
  return wrong;
}

TEST(OwnArrays, of_any_length_are_read_where_they_are) {
  for (const int each : {1, 3, 5, 8, 9, 1000, 1024, 4097}) {
    EXPECT_EQ(wrong_elements<double>(C_DBL, each), 0) << each;
    EXPECT_EQ(wrong_elements<float>(C_FLOAT, each), 0) << each;
    EXPECT_EQ(wrong_elements<int>(C_INT, each), 0) << each;
  }
}

}  // namespace
}  // namespace gamelan::engine
