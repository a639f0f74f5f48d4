// SPDX-License-Identifier: BSD-3-Clause
// Random messages that a kernel might send: well formed by ops.def's rules, otherwise anything.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "protocol/check.hpp"
#include "protocol/codec.hpp"
#include "protocol/linalg.hpp"
#include "protocol/pieces.hpp"
#include "random_operands.hpp"

namespace gamelan::test {

/// Operands of the rows whose elements go where data say.
inline void fill_irregular(Random& random, protocol::Command& command) {
  using protocol::Dtype;
  using protocol::Op;
  protocol::Shape extents = random_extents(random);
  if (extents.empty()) extents.push_back(random.number(0, 4));
  const auto axis = random.number(0, static_cast<std::int64_t>(extents.size()) - 1);
  const auto positions = [&](std::int64_t length) {
    return random_operand(random, {length}, random_dtype(random, protocol::Types::integer));
  };
  command.creates = command.op != Op::put;
  if (command.op == Op::take) {
    auto& extent = extents[static_cast<std::size_t>(axis)];
    const auto source = random_operand(random, extents);
    if (extent > 0) extent = random.number(0, 4);
    command.out = random_result(random, extents, true, source.dtype);
    command.in = {source, positions(extent)};
    command.ints = {axis};
  } else if (command.op == Op::put && random.chance(20)) {
    command.out = random_result(random, extents, false);
    command.in = {random_operand(random, {extents[0]}, Dtype::bool_)};
    extents[0] = random.number(0, extents[0]);
    if (random.chance(30))
      command.in.emplace_back(random_scalar(random, command.out.dtype));
    else
      command.in.emplace_back(random_operand(random, extents, command.out.dtype));
  } else if (command.op == Op::put) {
    command.out = random_result(random, extents, false);
    if (extents[0] > 0) extents[0] = random.number(0, 4);
    command.in = {positions(extents[0])};
    if (random.chance(50))
      command.in.emplace_back(random_scalar(random, command.out.dtype));
    else
      command.in.emplace_back(random_operand(random, extents, command.out.dtype));
  } else if (command.op == Op::nonzero) {
    const auto length = random.number(4, 6);
    command.in = {random_operand(random, {length}, Dtype::bool_)};
    auto dtype = Dtype::int64;
    if (random.chance(50)) {
      extents[0] = length;
      const auto rows = random_operand(random, extents);
      dtype = rows.dtype;
      command.in.emplace_back(rows);
    } else {
      extents = {length};
    }
    extents[0] = random.number(0, 4);
    command.out = random_result(random, extents, true, dtype);
  } else if (command.op == Op::accumulate) {
    const Op fold = random.chance(50) ? Op::add : Op::maximum;
    command.loop = random_dtype(random, protocol::info(fold).types);
    command.out = random_result(random, extents, true, command.loop);
    command.in = {random_operand(random, extents)};
    command.ints = {axis, static_cast<std::int64_t>(fold)};
  } else if (command.op == Op::sort || command.op == Op::argsort) {
    command.out = random_result(random, extents, true, command.op == Op::sort ? command.loop : Dtype::int64);
    command.in = {random_operand(random, extents, command.loop)};
    command.ints = {axis};
  } else if (command.op == Op::fourier) {
    auto& extent = extents[static_cast<std::size_t>(axis)];
    extent = std::max<std::int64_t>(extent, 1);
    command.loop = Dtype::float64;
    command.in = {random_operand(random, extents), random_scalar(random, Dtype::float64)};
    extent += random.number(0, 3);  // lines are filled up
    command.out = random_result(random, extents, true, Dtype::complex128);
    command.ints = {axis, random.number(0, 1), extent, 0};
  } else if (command.op == Op::draw) {
    command.loop = Dtype::float64;
    command.out = random_result(random, extents, true, Dtype::int64);
    command.in = {random.chance(50) ? protocol::Operand(random_operand(random, extents, Dtype::float32))
                                    : protocol::Operand(random_scalar(random, Dtype::float64))};
    command.ints = {0, random.number(-9, 9), random.number(0, 1 << 30)};
  } else if (command.op == Op::searchsorted) {
    extents.resize(1, 3);
    command.out = random_result(random, extents, true, Dtype::int64);
    command.in = {random_operand(random, {random.number(0, 4)}), random_operand(random, extents)};
    command.ints = {random.number(0, 1)};
  } else if (command.op == Op::interpolate) {
    extents.resize(1, 3);
    command.out = random_result(random, extents, true, Dtype::float64);
    const protocol::Shape points{random.number(2, 5)};
    command.in = {random_operand(random, points, Dtype::float64),
                  random_operand(random, points, Dtype::float64),
                  random_operand(random, extents, Dtype::float64)};
  } else if (command.op == Op::argmax || command.op == Op::argmin) {
    auto& extent = extents[static_cast<std::size_t>(axis)];
    extent = std::max<std::int64_t>(extent, 1);
    command.in = {random_operand(random, extents, Dtype::float64)};
    extent = 1;
    command.out = random_result(random, extents, true, Dtype::int64);
    command.ints = {axis};
  } else if (command.op == Op::packbits || command.op == Op::unpackbits) {
    const bool packs = command.op == Op::packbits;
    const auto bytes = random.number(0, 4);
    command.in = {random_operand(random, {packs ? 8 * bytes : bytes}, Dtype::uint8)};
    command.out = random_result(random, {packs ? bytes : 8 * bytes}, true, Dtype::uint8);
    command.ints = {random.number(0, 1)};
  } else if (command.op == Op::reduceat) {
    command.loop = Dtype::float64;
    const protocol::Shape starts{random.number(0, 4)};
    command.in = {random_operand(random, {random.number(1, 9)}, Dtype::float64),
                  random_operand(random, starts, Dtype::int64)};
    command.out = random_result(random, starts, true, Dtype::float64);
    command.ints = {static_cast<std::int64_t>(Op::add)};
  } else if (command.op == Op::weighted_bincount) {
    extents.resize(1, 3);
    command.out = random_result(random, {random.number(1, 5)}, true, Dtype::float64);
    command.in = {random_operand(random, extents, random_dtype(random, protocol::Types::integer)),
                  random_operand(random, extents, Dtype::float64)};
    command.ints = {random.number(1, 9)};
  } else if (command.op == Op::linalg) {
    const auto routine = static_cast<protocol::Linalg>(random.number(0, protocol::linalg_routines - 1));
    const bool is_least_squares = routine == protocol::Linalg::least_squares;
    const bool is_rectangular =
        is_least_squares || (routine >= protocol::Linalg::qr && routine <= protocol::Linalg::svd_values);
    const auto m = random.number(1, 4), n = is_rectangular ? random.number(1, 4) : m,
               right = random.number(1, 3);
    const bool is_of_eig = routine == protocol::Linalg::eig || routine == protocol::Linalg::eig_values;
    command.loop = random.chance(50) ? Dtype::float64 : Dtype::complex128;
    const auto results = protocol::extents_of_results(routine, m, n, right, random.chance(50) ? m : 0);
    protocol::Shape lead;
    if (!is_least_squares && random.chance(50)) lead.push_back(random.number(1, 3));
    const auto stack = [&lead](std::int64_t rows, std::int64_t columns) {
      protocol::Shape shape = lead;
      shape.insert(shape.end(), {rows, columns});
      return shape;
    };
    command.out = random_result(random, stack(results.rows, results.columns), true,
                                is_of_eig ? Dtype::complex128 : command.loop);
    command.in = {random_operand(random, stack(m, n))};
    if (has_right(routine)) command.in.emplace_back(random_operand(random, stack(m, right)));
    if (is_least_squares) command.in.emplace_back(random_scalar(random, command.loop));
    command.ints = {static_cast<std::int64_t>(routine), lead.empty() ? random.number(0, 9) : 0,
                    random.number(0, 1)};
  } else {
    const auto bins = random.number(1, 5);
    command.out = random_result(random, {bins}, true, Dtype::int64);
    command.in = {random_operand(random, extents, random_dtype(random, protocol::Types::integer))};
    if (command.op == Op::histogram)
      command.in.emplace_back(random_operand(random, {bins + 1}, Dtype::float64));
  }
}

/// Operands, numbers and a path, where nothing is, of the rows that read and write files.
inline void fill_file(Random& random, protocol::Command& command, protocol::Batch& batch) {
  using protocol::Dtype;
  protocol::Shape extents = random_extents(random);
  if (extents.empty()) extents.push_back(random.number(0, 4));
  command.creates = true;
  command.ints = {random.number(0, 1 << 20), random.number(0, 1)};
  std::string path = "/no such folder/" + std::to_string(random.number(0, 99));
  if (command.op == protocol::Op::read_hdf5 || command.op == protocol::Op::read_zarr) {
    command.out = random_result(random, extents, true, command.loop);
    const bool is_zarr = command.op == protocol::Op::read_zarr;
    command.ints = {random.number(0, 2), random.number(0, 1), random.number(0, 1), random.number(0, 1)};
    if (!is_zarr) command.ints.clear();
    for (const int least : {0, 1, 1})  // starts, steps, extents of chunks
      for (std::size_t axis = 0; axis < extents.size(); ++axis)
        command.ints.push_back(random.number(least, 100));
    if (!is_zarr) command.ints.resize(2 * extents.size());
    if (is_zarr)
      command.in = {random_scalar(random, command.loop)};
    else
      path += std::string(1, 0) + "dataset";
  } else if (command.op == protocol::Op::read_file) {
    command.out = random_result(random, extents, true, command.loop);
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      command.ints.push_back(random.number(0, 100) *
                             static_cast<std::int64_t>(protocol::size_of(command.loop)));
  } else if (command.op == protocol::Op::read_pieces) {
    command.out = random_result(random, extents, true, command.loop);
    command.ints.clear();
    path = "pieces-none/1/" + std::to_string(random.number(0, 99));
  } else if (command.op == protocol::Op::tend_pieces) {
    command.out = random_result(random, {2 * random.number(1, 4)}, true, Dtype::int64);
    command.ints = {static_cast<std::int64_t>(protocol::PieceAction::remove), 0};
    path = "pieces-none/1";
  } else {
    if (command.op == protocol::Op::write_pieces) {
      command.ints = {0, 1};
      path = "pieces-" + std::string(300, 'x') + "/1/2";  // longer than a folder's name may be
    }
    command.out = random_result(random, {2 * random.number(1, 4)}, true, Dtype::int64);
    command.in = {random_operand(random, extents, command.loop)};
  }
  batch.payloads.emplace_back(reinterpret_cast<const std::byte*>(path.data()),
                              reinterpret_cast<const std::byte*>(path.data() + path.size()));
  command.payload = static_cast<std::int32_t>(batch.payloads.size()) - 1;
}

/// A name, whole arrays and numbers.
inline void fill_routine(Random& random, protocol::Command& command, protocol::Batch& batch) {
  using protocol::Dtype;
  const auto array = [&] {
    return protocol::whole(static_cast<std::uint64_t>(random.number(1, 9)),
                           random.chance(50) ? Dtype::float64 : Dtype::int32,
                           {random.number(1, 4), random.number(1, 4)});
  };
  command.loop = Dtype::float64;
  command.creates = false;
  command.out = array();
  command.ints = {random.number(0, 1)};
  for (auto left = random.number(0, 3); left > 0; --left) {
    if (random.chance(50))
      command.in.emplace_back(array());
    else
      command.in.emplace_back(random_scalar(random, Dtype::float64));
  }
  const std::string name = "routine_" + std::to_string(random.number(0, 99));
  batch.payloads.emplace_back(reinterpret_cast<const std::byte*>(name.data()),
                              reinterpret_cast<const std::byte*>(name.data() + name.size()));
  command.payload = static_cast<std::int32_t>(batch.payloads.size()) - 1;
}

/// An array into one that is cut along its first axis: evenly, or anywhere.
inline void fill_redistribute(Random& random, protocol::Command& command) {
  const protocol::Shape extents = {random.number(0, 5), random.number(0, 5)};
  command.creates = true;
  command.out = random_result(random, extents, true, command.loop);
  command.in = {random_operand(random, extents)};
  command.ints = {random.number(0, 2), 0, 2, extents[0], 2};
  if (random.chance(50))
    command.ints.insert(command.ints.end(), {1, random.number(0, extents[0])});
  else
    command.ints.push_back(0);
  command.ints.insert(command.ints.end(), {extents[1], 1, 0});
}

inline void fill_operands(Random& random, protocol::Command& command, protocol::Batch& batch) {
  const protocol::OpInfo& row = protocol::info(command.op);
  protocol::Shape& extents = command.out.extents;
  switch (row.kind) {
    case protocol::RowKind::nullary:
      command.in = {random_scalar(random), random_scalar(random)};
      command.ints = {random.number(-9, 9), random.number(0, 1 << 30)};
      return;
    case protocol::RowKind::unary:
    case protocol::RowKind::binary:
    case protocol::RowKind::ternary:
      for (int operand = 0; operand < row.arity; ++operand) {
        if (random.chance(25)) {
          command.in.emplace_back(random_scalar(random));
        } else {
          command.in.emplace_back(random_operand(random, extents));
        }
      }
      return;
    case protocol::RowKind::reduce: {
      const protocol::Shape from = random_extents(random);
      protocol::Shape kept;
      for (std::size_t axis = 0; axis < from.size(); ++axis) {
        if (random.chance(50)) {
          command.ints.push_back(static_cast<std::int64_t>(axis));
        } else {
          kept.push_back(from[axis]);
        }
      }
      command.out = random_result(random, kept, command.creates);
      command.in = {random_operand(random, from)};
      return;
    }
    case protocol::RowKind::call:
      break;
  }
  if (command.op == protocol::Op::constant) {
    const std::size_t bytes =
        static_cast<std::size_t>(protocol::element_count(extents)) * protocol::size_of(command.loop);
    batch.payloads.push_back(random_bytes(random, bytes, command.loop == protocol::Dtype::bool_ ? 1 : 255));
    command.payload = static_cast<std::int32_t>(batch.payloads.size()) - 1;
    return;
  }
  if (protocol::is_of_file(command.op)) return fill_file(random, command, batch);
  if (command.op == protocol::Op::routine) return fill_routine(random, command, batch);
  if (command.op == protocol::Op::redistribute) return fill_redistribute(random, command);
  if (command.op != protocol::Op::matmul) return fill_irregular(random, command);
  const protocol::Shape lead = random_extents(random);
  const std::int64_t rows = random.number(0, 4), inner = random.number(0, 4), columns = random.number(0, 4);
  const auto with = [&](std::int64_t first, std::int64_t second) {
    protocol::Shape shape = lead;
    shape.insert(shape.end(), {first, second});
    return shape;
  };
  command.out = random_result(random, with(rows, columns), command.creates);
  command.in = {random_operand(random, with(rows, inner)), random_operand(random, with(inner, columns))};
}

inline protocol::Batch random_batch(Random& random, std::int64_t most_commands = 12) {
  protocol::Batch batch;
  batch.seq = static_cast<std::uint64_t>(random.number(0, std::numeric_limits<std::int64_t>::max())) * 2;
  batch.explain = random.chance(10);
  batch.heard = static_cast<std::uint64_t>(random.number(0, 1 << 20));
  batch.watched = static_cast<std::uint8_t>(random.number(0, protocol::all_float_errors));
  batch.epoch = static_cast<std::uint64_t>(random.number(0, 3));
  batch.holder = static_cast<std::uint64_t>(random.number(0, 1 << 30));
  if (batch.epoch == 3) batch.options = {{"keep_unread", "1"}, {"disable_passes", "fuse"}};
  for (std::int64_t count = random.number(0, 3); count > 0; --count) {
    batch.origins.push_back({random_text(random), static_cast<std::int32_t>(random.number(-1, 1 << 30))});
  }
  for (std::int64_t count = random.number(0, most_commands); count > 0; --count) {
    protocol::Command command;
    command.op = static_cast<protocol::Op>(random.number(0, protocol::op_count() - 1));
    command.loop = random_dtype(random, protocol::info(command.op).types);
    command.creates = random.chance(50);
    command.out = random_result(random, random_extents(random), command.creates);
    fill_operands(random, command, batch);
    if (!batch.origins.empty()) {
      command.origin =
          static_cast<std::uint32_t>(random.number(0, static_cast<std::int64_t>(batch.origins.size()) - 1));
    }
    batch.commands.push_back(std::move(command));
  }
  for (std::int64_t count = random.number(0, 5); count > 0; --count) {
    batch.frees.push_back(static_cast<std::uint64_t>(random.number(0, 99)));
  }
  for (std::int64_t count = random.number(0, 3); count > 0; --count) {
    batch.fetches.push_back(random_operand(random, random_extents(random)));
  }
  return batch;
}

inline protocol::Request random_request(Random& random) {
  const auto seq = static_cast<std::uint64_t>(random.number(0, 1'000'000));
  switch (random.number(0, 10)) {
    case 0:
      return protocol::Hello{seq, static_cast<int>(random.number(0, 9)),
                             static_cast<std::uint64_t>(random.number(0, 9)) << 60, random_text(random)};
    case 1:
      return protocol::StatusRequest{seq};
    case 2:
      return protocol::Cancel{seq, static_cast<std::uint64_t>(random.number(0, 99))};
    case 3:
      return protocol::Configure{seq, {{random_text(random), random_text(random)}, {"verify", "1"}}};
    case 4:
      return protocol::Shutdown{seq};
    case 5:
      return protocol::Heartbeat{seq, seq / 2};
    case 6:
      return protocol::Holding{seq, protocol::Holding::Ask(seq % 10), seq << 40, seq, random_text(random),
                               {}};
    default:
      return random_batch(random);
  }
}

inline protocol::Reply random_reply(Random& random) {
  protocol::Reply reply;
  reply.seq = static_cast<std::uint64_t>(random.number(0, 1'000'000));
  reply.outcome = static_cast<protocol::Outcome>(random.number(0, 2));
  reply.error = random.chance(50) ? protocol::ErrorKind::value : protocol::ErrorKind::engine_lost;
  reply.message = random_text(random);
  reply.command = random.number(-1, 1'000'000);
  reply.origin = {random_text(random), static_cast<std::int32_t>(random.number(-9, 999))};
  for (std::int64_t count = random.number(0, 3); count > 0; --count) {
    const auto first = static_cast<std::int32_t>(random.number(0, 99));
    reply.float_errors.push_back({static_cast<std::uint8_t>(random.number(1, protocol::all_float_errors)),
                                  first, first + static_cast<std::int32_t>(random.number(0, 9))});
  }
  if (random.chance(50)) reply.info = R"({"ranks": 4, "plan": "a\nb"})";
  for (std::int64_t count = random.number(0, 3); count > 0; --count) {
    reply.payloads.push_back(random_bytes(random, static_cast<std::size_t>(random.number(0, 40))));
  }
  return reply;
}

}  // namespace gamelan::test
