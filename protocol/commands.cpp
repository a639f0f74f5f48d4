// SPDX-License-Identifier: BSD-3-Clause
// The order of the fields: each `put` stands above its `get`. Every field has a fixed width, because finding
// where fields of variable width end costs more than the bytes that they save.
#include "protocol/commands.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bytes.hpp"
#include "protocol/check.hpp"

namespace gamelan::protocol {
namespace {

constexpr std::uint8_t view_tag = 0, scalar_tag = 1;

// The fewest bytes that each takes: they bound how much memory a count can ask for.
constexpr std::size_t view_bytes = 8 + 8 + 1 + 1;
constexpr std::size_t command_bytes = 2 + 1 + 1 + view_bytes + 4 + 4 + 4 + 4;
constexpr std::size_t origin_bytes = 4 + 4;

[[noreturn]] void reject(const std::string& what) { throw Error(ErrorKind::protocol, "[decode] " + what); }

Dtype get_dtype(Reader& in) {
  const auto code = in.get<std::uint8_t>();
  if (code >= dtype_count) reject("unknown dtype " + std::to_string(code));
  return static_cast<Dtype>(code);
}

void put_view(Writer& out, const View& view) {
  if (view.extents.size() > max_dims || view.strides.size() != view.extents.size()) {
    throw Error(ErrorKind::protocol,
                "[encode] view with more than 32 dimensions, or extents without strides");
  }
  out.put(view.base);
  out.put(view.offset);
  out.put(view.dtype);
  out.put(static_cast<std::uint8_t>(view.extents.size()));
  out.put_raw(view.extents.data(), view.extents.size() * sizeof(std::int64_t));
  out.put_raw(view.strides.data(), view.strides.size() * sizeof(std::int64_t));
}

View get_view(Reader& in) {
  View view;
  view.base = in.get<std::uint64_t>();
  view.offset = in.get<std::int64_t>();
  view.dtype = get_dtype(in);
  const std::size_t dims = in.get<std::uint8_t>();
  if (dims > max_dims) reject("too many dimensions: got " + std::to_string(dims) + ", expected at most 32");
  view.extents.resize(dims);
  view.strides.resize(dims);
  in.get_raw(view.extents.data(), dims * sizeof(std::int64_t));
  in.get_raw(view.strides.data(), dims * sizeof(std::int64_t));
  return view;
}

void put_operand(Writer& out, const Operand& operand) {
  if (const View* view = std::get_if<View>(&operand)) {
    out.put(view_tag);
    put_view(out, *view);
    return;
  }
  const Scalar& scalar = std::get<Scalar>(operand);
  out.put(scalar_tag);
  out.put(scalar.dtype);
  out.put_raw(scalar.bytes.data(), size_of(scalar.dtype));
}

Operand get_operand(Reader& in) {
  const auto tag = in.get<std::uint8_t>();
  if (tag == view_tag) return get_view(in);
  if (tag != scalar_tag) reject("unknown kind of operand " + std::to_string(tag));
  Scalar scalar;
  scalar.dtype = get_dtype(in);
  in.get_raw(scalar.bytes.data(), size_of(scalar.dtype));
  return scalar;
}

void put_command(Writer& out, const Command& command) {
  if (command.in.size() > max_operands)
    throw Error(ErrorKind::protocol, "[encode] command with too many operands");
  out.put(command.op);
  out.put(command.loop);
  out.put(static_cast<std::uint8_t>(command.creates));
  put_view(out, command.out);
  out.put(static_cast<std::uint32_t>(command.in.size()));
  for (const Operand& operand : command.in) put_operand(out, operand);
  out.put(static_cast<std::uint32_t>(command.ints.size()));
  out.put_raw(command.ints.data(), command.ints.size() * sizeof(std::int64_t));
  out.put(command.payload);
  out.put(command.origin);
}

Command get_command(Reader& in) {
  Command command;
  const auto op = in.get<std::uint16_t>();
  if (op >= op_count()) reject("unknown op " + std::to_string(op));
  command.op = static_cast<Op>(op);
  command.loop = get_dtype(in);
  const auto creates = in.get<std::uint8_t>();
  if (creates > 1) reject("flag `creates` is neither 0 nor 1");
  command.creates = creates == 1;
  command.out = get_view(in);
  const std::uint32_t operands = in.get_count(2);
  if (operands > max_operands) reject("too many operands: got " + std::to_string(operands));
  command.in.reserve(operands);
  for (std::uint32_t operand = 0; operand < operands; ++operand) command.in.push_back(get_operand(in));
  command.ints.resize(in.get_count(sizeof(std::int64_t)));
  in.get_raw(command.ints.data(), command.ints.size() * sizeof(std::int64_t));
  command.payload = in.get<std::int32_t>();
  command.origin = in.get<std::uint32_t>();
  return command;
}

}  // namespace

Bytes encode_commands(const Batch& batch) {
  Writer out(256 * batch.commands.size() +
             64 * (batch.frees.size() + batch.fetches.size() + batch.origins.size()));
  for (const Command& command : batch.commands) put_command(out, command);
  for (const ArrayId freed : batch.frees) out.put(freed);
  for (const View& fetch : batch.fetches) put_view(out, fetch);
  for (const Origin& origin : batch.origins) {
    out.put_text(origin.file);
    out.put(origin.line);
  }
  return out.finish();
}

void decode_commands(std::span<const std::byte> frame, const CommandCounts& counts, Batch& batch) {
  Reader in(frame);
  in.need_each(counts.commands, command_bytes);
  batch.commands.reserve(counts.commands);
  for (std::size_t index = 0; index < counts.commands; ++index) {
    try {
      Command command = get_command(in);
      check(command, batch.payloads, batch.explain);
      // A batch without origins comes from a recorder that kept none: then index 0 means no origin.
      if (command.origin >= std::max<std::size_t>(counts.origins, 1)) reject("origin out of range");
      batch.commands.push_back(std::move(command));
    } catch (const Error& error) {
      throw Error(error.kind(), error.what(), static_cast<std::int64_t>(index));
    }
  }
  in.need_each(counts.frees, sizeof(ArrayId));
  batch.frees.resize(counts.frees);
  in.get_raw(batch.frees.data(), counts.frees * sizeof(ArrayId));
  in.need_each(counts.fetches, view_bytes);
  batch.fetches.reserve(counts.fetches);
  for (std::size_t index = 0; index < counts.fetches; ++index) {
    batch.fetches.push_back(get_view(in));
    if (batch.fetches.back().base == 0) reject("fetch without an array");
    validate(batch.fetches.back(), max_view_bytes, false);
  }
  in.need_each(counts.origins, origin_bytes);
  batch.origins.reserve(counts.origins);
  for (std::size_t index = 0; index < counts.origins; ++index) {
    Origin origin;
    origin.file = in.get_text();
    origin.line = in.get<std::int32_t>();
    batch.origins.push_back(std::move(origin));
  }
  if (in.remaining() != 0) reject("bytes left over after the last command");
}

}  // namespace gamelan::protocol
