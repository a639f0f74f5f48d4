// SPDX-License-Identifier: BSD-3-Clause
// The order of the fields: each `put` stands above its `get`. Numbers are short where they are small
// (bytes.hpp), and a view says only what it does not have in common with the view before it or with an array
// in C order. An id is the difference to what its command writes, which new arrays are near, or to the first
// id of the batch: that of an older array is the same in each command then, and the log can compress it.
#include "protocol/commands.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "protocol/bytes.hpp"
#include "protocol/check.hpp"

namespace gamelan::protocol {
namespace {

constexpr std::uint8_t view_tag = 0, scalar_tag = 1;
constexpr std::uint64_t is_from_first = 1;  // the lowest bit of an id, above which is the difference
constexpr ArrayId most_id = (ArrayId{1} << 62) - 1;

// Beside the dtype in the first byte of a view; `creates` beside that of a command's loop.
constexpr unsigned dtype_bits = 0x0f;
constexpr unsigned has_offset = 0x10;        // else 0
constexpr unsigned has_same_extents = 0x20;  // as the view before
constexpr unsigned has_same_strides = 0x40;  // as the view before
constexpr unsigned is_in_order = 0x80;       // the strides are those of an array in C order
constexpr unsigned creates = 0x10;
static_assert(dtype_count <= dtype_bits);

// The fewest bytes that each takes: they bound how much memory a count can ask for.
constexpr std::size_t view_bytes = 1 + 1;
constexpr std::size_t command_bytes = 1 + 1 + view_bytes + 1 + 1 + 1 + 1;
constexpr std::size_t operand_bytes = 1 + 2;
constexpr std::size_t origin_bytes = 1 + 1;
/// Of all origins of a batch together: a name that is the one before takes no byte of the frame.
constexpr std::size_t most_name_bytes = std::size_t{64} << 20;

[[noreturn]] void reject(const std::string& what) { throw Error(ErrorKind::protocol, "[decode] " + what); }

/// The byte stride of an axis in C order, from that of the axis behind it. Extents may be anything yet.
std::int64_t next_stride(std::int64_t stride, std::int64_t extent) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) *
                                   static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1)));
}

bool has_strides_in_order(const View& view) {
  auto stride = static_cast<std::int64_t>(size_of(view.dtype));
  for (std::size_t axis = view.extents.size(); axis-- > 0;) {
    if (view.strides[axis] != stride) return false;
    stride = next_stride(stride, view.extents[axis]);
  }
  return true;
}

/// Puts what is said in relation to what was said before.
class CommandWriter {
 public:
  explicit CommandWriter(std::size_t expected_bytes) : out(expected_bytes) {}

  void put_id(ArrayId id) {
    if (id > most_id) throw Error(ErrorKind::protocol, "[encode] an array's id has more than 62 bits");
    const auto near = zigzag(static_cast<std::int64_t>(id - last));
    const auto far = zigzag(static_cast<std::int64_t>(id - first_));
    out.put_short(far < near ? far << 1 | is_from_first : near << 1);
    if (first_ == 0) first_ = id;
  }

  void put_view(const View& view) {
    if (view.extents.size() > max_dims || view.strides.size() != view.extents.size()) {
      throw Error(ErrorKind::protocol,
                  "[encode] view with more than 32 dimensions, or extents without strides");
    }
    const bool same_extents = view.extents == view_->extents;
    const bool in_order = has_strides_in_order(view);
    const bool same_strides = !in_order && view.strides == view_->strides;
    out.put(static_cast<std::uint8_t>(static_cast<unsigned>(view.dtype) |
                                      (view.offset != 0 ? has_offset : 0) |
                                      (same_extents ? has_same_extents : 0) |
                                      (same_strides ? has_same_strides : 0) | (in_order ? is_in_order : 0)));
    put_id(view.base);
    if (view.offset != 0) out.put_signed(view.offset);
    if (!same_extents) {
      out.put_short(view.extents.size());
      for (const auto extent : view.extents) out.put_short(static_cast<std::uint64_t>(extent));
    }
    if (!in_order && !same_strides)
      for (const auto stride : view.strides) out.put_signed(stride);
    view_ = &view;
  }

  Writer out;
  ArrayId last = 0;  ///< what the command writes, or what was freed last

 private:
  const View none_{};
  const View* view_ = &none_;
  ArrayId first_ = 0;
};

/// Gets what a CommandWriter has put.
class CommandReader {
 public:
  explicit CommandReader(std::span<const std::byte> frame) : in(frame) {
    extents_.reserve(max_dims);
    strides_.reserve(max_dims);
  }

  ArrayId get_id() {
    const auto code = in.get_short();
    const auto difference = static_cast<ArrayId>(from_zigzag(code >> 1));
    const ArrayId id = ((code & is_from_first) != 0 ? first_ : last) + difference;
    if (id > most_id) reject("an array's id has more than 62 bits");
    if (first_ == 0) first_ = id;
    return id;
  }

  View get_view() {
    const auto head = in.get<std::uint8_t>();
    View view;
    view.dtype = dtype_of(head & dtype_bits);
    view.base = get_id();
    if ((head & has_offset) != 0) view.offset = in.get_signed();
    if ((head & has_same_extents) == 0) {
      const auto dims = in.get_short();
      if (dims > max_dims)
        reject("too many dimensions: got " + std::to_string(dims) + ", expected at most 32");
      extents_.resize(dims);
      for (auto& extent : extents_) extent = static_cast<std::int64_t>(in.get_short());
    }
    if ((head & is_in_order) != 0) {
      if ((head & has_same_strides) != 0) reject("strides that are two things at once");
      strides_.resize(extents_.size());
      auto stride = static_cast<std::int64_t>(size_of(view.dtype));
      for (std::size_t axis = extents_.size(); axis-- > 0;) {
        strides_[axis] = stride;
        stride = next_stride(stride, extents_[axis]);
      }
    } else if ((head & has_same_strides) == 0) {
      strides_.resize(extents_.size());
      for (auto& stride : strides_) stride = in.get_signed();
    } else if (strides_.size() != extents_.size()) {
      reject("the strides of a view with other dimensions");
    }
    view.extents = extents_;
    view.strides = strides_;
    return view;
  }

  static Dtype dtype_of(unsigned code) {
    if (code >= dtype_count) reject("unknown dtype " + std::to_string(code));
    return static_cast<Dtype>(code);
  }

  Reader in;
  ArrayId last = 0;  ///< as the writer's

 private:
  Shape extents_, strides_;  // of the view before
  ArrayId first_ = 0;
};

void put_operand(CommandWriter& to, const Operand& operand) {
  if (const View* view = std::get_if<View>(&operand)) {
    to.out.put(view_tag);
    to.put_view(*view);
    return;
  }
  const Scalar& scalar = std::get<Scalar>(operand);
  to.out.put(scalar_tag);
  to.out.put(scalar.dtype);
  to.out.put_raw(scalar.bytes.data(), size_of(scalar.dtype));
}

Operand get_operand(CommandReader& from) {
  const auto tag = from.in.get<std::uint8_t>();
  if (tag == view_tag) return from.get_view();
  if (tag != scalar_tag) reject("unknown kind of operand " + std::to_string(tag));
  Scalar scalar;
  scalar.dtype = CommandReader::dtype_of(from.in.get<std::uint8_t>());
  from.in.get_raw(scalar.bytes.data(), size_of(scalar.dtype));
  return scalar;
}

void put_command(CommandWriter& to, const Command& command) {
  if (command.in.size() > max_operands)
    throw Error(ErrorKind::protocol, "[encode] command with too many operands");
  to.out.put_short(static_cast<std::uint64_t>(command.op));
  to.out.put(
      static_cast<std::uint8_t>(static_cast<unsigned>(command.loop) | (command.creates ? creates : 0)));
  to.put_view(command.out);
  to.last = command.out.base;
  to.out.put_short(command.in.size());
  for (const Operand& operand : command.in) put_operand(to, operand);
  to.out.put_short(command.ints.size());
  for (const auto number : command.ints) to.out.put_signed(number);
  to.out.put_signed(command.payload);
  to.out.put_short(command.origin);
}

Command get_command(CommandReader& from, std::size_t origins) {
  Command command;
  const auto op = from.in.get_short();
  if (op >= static_cast<std::uint64_t>(op_count())) reject("unknown op " + std::to_string(op));
  command.op = static_cast<Op>(op);
  const auto loop = from.in.get<std::uint8_t>();
  if (loop > (dtype_bits | creates)) reject("flag `creates` is neither 0 nor 1");
  command.loop = CommandReader::dtype_of(loop & dtype_bits);
  command.creates = (loop & creates) != 0;
  command.out = from.get_view();
  from.last = command.out.base;
  const auto operands = from.in.get_short();
  if (operands > max_operands) reject("too many operands: got " + std::to_string(operands));
  from.in.need_each(operands, operand_bytes);
  command.in.reserve(operands);
  for (std::size_t operand = 0; operand < operands; ++operand) command.in.push_back(get_operand(from));
  const auto numbers = from.in.get_short();
  from.in.need_each(numbers, 1);
  command.ints.resize(numbers);
  for (auto& number : command.ints) number = from.in.get_signed();
  const auto payload = from.in.get_signed();
  if (!std::in_range<std::int32_t>(payload)) reject("payload index out of range");
  command.payload = static_cast<std::int32_t>(payload);
  // A batch without origins comes from a recorder that kept none: then index 0 means no origin.
  const auto origin = from.in.get_short();
  if (origin >= std::max<std::size_t>(origins, 1)) reject("origin out of range");
  command.origin = static_cast<std::uint32_t>(origin);
  return command;
}

/// The name and its length + 1; 0: that of the origin before.
void put_origin(Writer& out, const Origin& origin, const std::string& before) {
  if (origin.file == before) {
    out.put_short(0);
  } else {
    out.put_short(origin.file.size() + 1);
    out.put_raw(origin.file.data(), origin.file.size());
  }
  out.put_signed(origin.line);
}

Origin get_origin(Reader& in, const std::string& before) {
  Origin origin;
  if (const auto length = in.get_short(); length == 0) {
    origin.file = before;
  } else {
    in.need_each(length - 1, 1);
    origin.file.resize(length - 1);
    in.get_raw(origin.file.data(), origin.file.size());
  }
  const auto line = in.get_signed();
  if (!std::in_range<std::int32_t>(line)) reject("line out of range");
  origin.line = static_cast<std::int32_t>(line);
  return origin;
}

}  // namespace

Bytes encode_commands(const Batch& batch) {
  CommandWriter to(32 * batch.commands.size() + 16 * (batch.frees.size() + batch.fetches.size()) +
                   64 * batch.origins.size());
  for (const Command& command : batch.commands) put_command(to, command);
  for (const ArrayId freed : batch.frees) {
    to.put_id(freed);
    to.last = freed;
  }
  for (const View& fetch : batch.fetches) to.put_view(fetch);
  std::string before;
  std::size_t name_bytes = 0;
  for (const Origin& origin : batch.origins) {
    if ((name_bytes += origin.file.size()) > most_name_bytes)
      throw Error(ErrorKind::protocol, "[encode] the names of files are too long");
    put_origin(to.out, origin, before);
    before = origin.file;
  }
  return to.out.finish();
}

void decode_commands(std::span<const std::byte> frame, const CommandCounts& counts, Batch& batch) {
  CommandReader from(frame);
  Reader& in = from.in;
  in.need_each(counts.commands, command_bytes);
  batch.commands.reserve(counts.commands);
  for (std::size_t index = 0; index < counts.commands; ++index) {
    try {
      Command command = get_command(from, counts.origins);
      check(command, batch.payloads, batch.explain);
      batch.commands.push_back(std::move(command));
    } catch (const Error& error) {
      throw Error(error.kind(), error.what(), static_cast<std::int64_t>(index));
    }
  }
  in.need_each(counts.frees, 1);
  batch.frees.resize(counts.frees);
  for (auto& freed : batch.frees) from.last = freed = from.get_id();
  in.need_each(counts.fetches, view_bytes);
  batch.fetches.reserve(counts.fetches);
  for (std::size_t index = 0; index < counts.fetches; ++index) {
    batch.fetches.push_back(from.get_view());
    if (batch.fetches.back().base == 0) reject("fetch without an array");
    validate(batch.fetches.back(), max_view_bytes, false);
  }
  in.need_each(counts.origins, origin_bytes);
  batch.origins.reserve(counts.origins);
  std::size_t name_bytes = 0;
  for (std::size_t index = 0; index < counts.origins; ++index) {
    batch.origins.push_back(get_origin(in, index == 0 ? std::string() : batch.origins.back().file));
    if ((name_bytes += batch.origins.back().file.size()) > most_name_bytes)
      reject("the names of files are too long");
  }
  if (in.remaining() != 0) reject("bytes left over after the last command");
}

}  // namespace gamelan::protocol
