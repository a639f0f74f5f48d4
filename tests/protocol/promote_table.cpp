// SPDX-License-Identifier: BSD-3-Clause
// Prints the promotion of every pair of dtypes, for promote_test.py to compare with NumPy's.
#include <iostream>

#include "protocol/dtype.hpp"

int main() {
  using namespace gamelan::protocol;
  for (int left = 0; left < dtype_count; ++left) {
    for (int right = 0; right < dtype_count; ++right) {
      const Dtype result = promote(static_cast<Dtype>(left), static_cast<Dtype>(right));
      std::cout << info(static_cast<Dtype>(left)).name << ' ' << info(static_cast<Dtype>(right)).name << ' '
                << info(result).name << ' ' << info(result).bytes << '\n';
    }
  }
}
