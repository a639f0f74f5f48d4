// SPDX-License-Identifier: BSD-3-Clause
// An array of planes (rows, or whatever lies contiguous per outermost index) dealt to the ranks in blocks, in
// one or more buffers, whose edge planes the neighbours read: in place on one node, by messages under way
// during start..finish otherwise.
#pragma once
#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/world.hpp"

namespace gamelan::bench {

class Planes {
 public:
  /// Parameter halo=messages sends messages on one node too. Each plane is padded to whole cache lines.
  /// Collective.
  Planes(const World& world, const Parameters& parameters, std::int64_t count, std::int64_t plane_doubles,
         bool is_periodic, int buffers);
  Block block() const { return block_; }
  /// Plane `at` of this rank; or the neighbour's next to mine, once finish() has returned.
  double* plane(int buffer, std::int64_t at) const {
    return buffers_[static_cast<std::size_t>(buffer)].data() + (at - origin_) * pitch_;
  }
  /// The plane before my first and after my last, around the end if periodic; nullptr if there is none.
  const double* before(int buffer) const;
  const double* after(int buffer) const;
  /// My edge planes of `buffer` are complete, and so is every access to other buffers before. With its
  /// neighbours.
  void start(int buffer);
  /// Returns when before() and after() of that buffer can be read, and the neighbours have read all edges
  /// that they were offered earlier. With its neighbours.
  void finish();

 private:
  struct alignas(64) Flag {
    std::int64_t turn;
  };
  void wait_for(int neighbour);
  const World& world_;
  std::int64_t count_, pitch_, origin_ = 0;
  std::int64_t turn_ = 0;
  bool is_messages_;
  Block block_;
  int before_ = -1, after_ = -1;  // the neighbours' ranks, -1 for none
  std::vector<Array<double>> buffers_;
  Array<Flag> flags_;
  MPI_Request requests_[4];
};

/// `count` doubles in whole cache lines.
inline std::int64_t whole_lines(std::int64_t count) { return (count + 7) / 8 * 8; }

}  // namespace gamelan::bench
