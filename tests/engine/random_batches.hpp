// SPDX-License-Identifier: BSD-3-Clause
// Random batches on a few int64 arrays, as loops of a notebook record them: stencils, assignments of what was
// worked out, copies, reductions, rows at an index, names that are given away. moment.hpp says what they
// mean.
#pragma once
#include <map>

#include "protocol/message.hpp"
#include "tests/random.hpp"

namespace gamelan::testing {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::Dtype;
using protocol::Op;
using protocol::Shape;
using protocol::View;

/// Writes batches over arrays that it can name. Results have names, too, but nobody computes with them.
class RandomBatches {
 public:
  explicit RandomBatches(unsigned seed) : choose_(seed), last_(ArrayId{seed} << 20) {}

  /// New arrays for the names that have none.
  Batch create();
  /// A loop of some turns.
  Batch loop();
  /// Lets a name go whose array was not computed; the next batch frees it.
  void lose(ArrayId id);
  /// A batch that frees everything.
  Batch end();
  std::vector<ArrayId> named() const;
  View whole(ArrayId id) const { return protocol::whole(id, Dtype::int64, extents_.at(id)); }

 private:
  using Place = std::pair<int, int>;  // line of the loop, and result of the line

  View make(Op op, std::vector<protocol::Operand> in, std::vector<std::int64_t> ints = {},
            const Shape* extents = nullptr);
  void write(Op op, const View& out, std::vector<protocol::Operand> in);
  Op binary(Choices& choose) { return choose.pick(std::vector<Op>{Op::add, Op::subtract, Op::multiply}); }
  View any(Choices& choose) { return whole(choose.pick(arrays_)); }
  View like(const View& view, Choices& choose);
  View grid(Choices& choose);
  void keep(Place place, const View& view);
  void keep_or_drop(Place place, const View& view, Choices& choose);
  void drop(const View& view) { frees_.push_back(view.base); }
  void line(int number, Choices choose);
  Batch take();

  Choices choose_;
  Batch batch_;
  std::vector<ArrayId> frees_;
  ArrayId last_;  // never the same in two programs
  std::map<ArrayId, Shape> extents_;
  std::vector<ArrayId> arrays_;  // 0: it is to be created
  ArrayId index_ = 0;
  std::map<Place, ArrayId> results_;
};

}  // namespace gamelan::testing
