// SPDX-License-Identifier: BSD-3-Clause
// Work memory of LAPACK and ScaLAPACK, private to a rank and outside the heap. It is asked for before it is
// taken: the system hands out addresses without memory behind them, and later ends a process that uses them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "engine/distribution/bytes_text.hpp"
#include "engine/distribution/pages.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::steps {

/// How many elements to allocate where a library's query has answered `wanted`; one more than that, because a
/// large answer was rounded. `ranks_at_once`: how many ranks of this node take as much at the same time.
/// `beside`: bytes that this rank has got and not touched yet, so that the system counts them as free. Throws
/// Error{memory} when the node has not so much, or when it is more than the library can count.
template <class T>
int admitted(double wanted, int ranks_at_once, std::size_t beside = 0) {
  using distribution::bytes_text;
  const double elements = std::floor(std::max(wanted, 0.0)) + 1;
  if (!(elements <= std::numeric_limits<int>::max()))
    throw protocol::Error(
        protocol::ErrorKind::memory,
        "[linalg] the library would need more work memory than it can count: use a smaller matrix");
  const auto bytes = static_cast<std::size_t>(elements) * sizeof(T);
  if (!distribution::has_room(bytes + beside, ranks_at_once))
    throw protocol::Error(protocol::ErrorKind::memory,
                          "[linalg] the library needs " + bytes_text(bytes) +
                              " of work memory on a rank, and the node has no room for it: use a smaller "
                              "matrix, or start engines with less heap or on more nodes");
  return static_cast<int>(elements);
}

/// Room for admitted elements, whose values are undefined.
template <class T>
class WorkMemory {
 public:
  /// As admitted(). Throws Error{memory}, std::bad_alloc.
  WorkMemory(double wanted, int ranks_at_once, std::size_t beside = 0)
      : size_(admitted<T>(wanted, ranks_at_once, beside)),
        memory_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size_))) {}
  T* data() { return memory_.get(); }
  int size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  int size_;
  std::unique_ptr<T[]> memory_;
};

}  // namespace gamelan::engine::steps
