// SPDX-License-Identifier: BSD-3-Clause
// Writes batches for tests of the planner, as the kernel would record them.
#pragma once
#include <cstring>
#include <stdexcept>

#include "engine/plan/planner.hpp"
#include "engine/plan/verify.hpp"

namespace gamelan::engine::plan {

using protocol::Batch;
using protocol::Command;
using protocol::Scalar;

/// Records commands on float64 arrays as the kernel would.
class BatchWriter {
 public:
  explicit BatchWriter(int ranks, std::set<std::string> disabled = {}, ArrayId first = 1) : next_(first) {
    options_.ranks = ranks;
    options_.disabled = std::move(disabled);
  }
  /// Plans say from now on what steps read of other ranks, as where there are several nodes.
  void see_nodes(int rank, int per_node) {
    options_.standpoint = Standpoint{rank, [=](int other) { return other / per_node == rank / per_node; }};
  }

  View existing(const Shape& extents, Dtype dtype = Dtype::float64) {
    const auto id = next_++;
    known_[id] = {extents, dtype, distribution::default_layout(extents, options_.ranks)};
    return protocol::whole(id, dtype, extents);
  }
  View compute(Op op, std::vector<protocol::Operand> in, bool is_dead = true) {
    const auto& like = std::get<View>(in.front());
    const View out = protocol::whole(next_++, Dtype::float64, like.extents);
    record(op, out, true, std::move(in));
    if (is_dead) batch_.frees.push_back(out.base);
    return out;
  }
  void assign(const View& target, const View& value) { record(Op::copy, target, false, {value}); }
  View sum(const View& view) {
    std::vector<std::int64_t> axes;
    for (std::size_t k = 0; k < view.extents.size(); ++k) axes.push_back(static_cast<std::int64_t>(k));
    return call(Op::sum, {}, Dtype::float64, {view}, axes);
  }
  /// Any command that makes an array.
  View call(Op op, const Shape& extents, Dtype dtype, std::vector<protocol::Operand> in,
            std::vector<std::int64_t> ints = {}) {
    const View out = protocol::whole(next_++, dtype, extents);
    record(op, out, true, std::move(in), std::move(ints));
    return out;
  }
  void put(const View& target, const View& index, const protocol::Operand& values) {
    record(Op::put, target, false, {index, values});
  }
  Catalog catalog() const {
    return [this](ArrayId id) {
      const auto found = known_.find(id);
      return found == known_.end() ? nullptr : &found->second;
    };
  }
  /// Throws when the plan is not legal (verify.hpp).
  Plan plan() const {
    auto made = make_plan(batch_, catalog(), options_);
    if (const auto fault = find_fault(made, options_.ranks))
      throw std::logic_error(*fault + " in the plan\n" + dump(made));
    return made;
  }
  const Options& options() const { return options_; }
  Batch& batch() { return batch_; }
  const Batch& batch() const { return batch_; }

 private:
  void record(Op op, const View& out, bool creates, std::vector<protocol::Operand> in,
              std::vector<std::int64_t> ints = {}) {
    Command command;
    command.op = op;
    command.out = out;
    command.creates = creates;
    command.in = std::move(in);
    command.ints = std::move(ints);
    batch_.commands.push_back(std::move(command));
  }

  Options options_;
  Batch batch_;
  ArrayId next_;
  std::unordered_map<ArrayId, ArrayInfo> known_;
};

/// Rows [i, j) and columns [k, l) of a whole matrix.
inline View part(const View& whole, std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) {
  View view = whole;
  view.offset += i * whole.strides[0] + k * whole.strides[1];
  view.extents = {j - i, l - k};
  return view;
}

inline Scalar number(double value) {
  Scalar scalar;
  scalar.dtype = Dtype::float64;
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

inline void record_jacobi(BatchWriter& r, const View& u, std::int64_t n) {
  const View a = r.compute(Op::add, {part(u, 0, n - 2, 1, n - 1), part(u, 2, n, 1, n - 1)});
  const View b = r.compute(Op::add, {part(u, 1, n - 1, 0, n - 2), part(u, 1, n - 1, 2, n)});
  const View c = r.compute(Op::add, {a, b});
  r.assign(part(u, 1, n - 1, 1, n - 1), r.compute(Op::multiply, {c, number(0.25)}));
}

}  // namespace gamelan::engine::plan
