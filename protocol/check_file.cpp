// SPDX-License-Identifier: BSD-3-Clause
// What a command that reads or writes files must have: an absolute path (none where only checksums of what
// would be written are wanted), or the name of pieces, and numbers of bytes that a file can have. Whether the
// file exists, the engines find out. They have the rights of their user.
#include <algorithm>
#include <string>
#include <string_view>

#include "protocol/check.hpp"
#include "protocol/datasets.hpp"
#include "protocol/pieces.hpp"

namespace gamelan::protocol {
namespace {

constexpr std::size_t longest_path = 4096;
constexpr std::int64_t longest_file = std::int64_t{1} << 61, longest_chunk = std::int64_t{1} << 31;

void require(bool condition, const Command& command, const char* what) {
  if (!condition) throw Error(ErrorKind::protocol, "[" + std::string(info(command.op).name) + "] " + what);
}

/// What follows the first zero of a path.
std::string note_of(const Bytes& path) {
  const auto zero = std::find(path.begin(), path.end(), std::byte{0});
  if (zero == path.end()) return "";
  return {reinterpret_cast<const char*>(path.data()) + (zero - path.begin()) + 1,
          static_cast<std::size_t>(path.end() - zero - 1)};
}

/// "later" where a copy may be written while later commands run. In a client's log: the CRC-32 of what is
/// read, behind "=" where the file is none of a checkpoint.
bool is_note(const Command& command, std::string_view note) {
  if (command.op == Op::write_file) return note == "later" && command.ints[1] == 1;
  if (command.op == Op::read_file && note.starts_with('=')) note.remove_prefix(1);
  return (command.op == Op::read_file || command.op == Op::read_pieces) && note.size() == 8 &&
         note.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void check_path(const Command& command, const std::vector<Bytes>& payloads) {
  require(command.payload >= 0, command, "no payload");
  Bytes path = payloads[static_cast<std::size_t>(command.payload)];
  if (command.op == Op::read_hdf5) {
    const auto end = std::find(path.begin(), path.end(), std::byte{0});
    require(path.end() - end > 1 && path.end() - end <= static_cast<std::ptrdiff_t>(longest_path), command,
            "no dataset is named");
    require(std::find(end + 1, path.end(), std::byte{0}) == path.end(), command,
            "the name of the dataset has a zero in it");
    path.erase(end, path.end());
  }
  if (command.op == Op::write_pieces)
    return require(parts_of_piece_name({reinterpret_cast<const char*>(path.data()), path.size()}) == 3 &&
                       command.ints[0] == 0 && command.ints[1] == 1,
                   command, "the pieces of no array are named, or no checksums are wanted");
  if (const auto note = note_of(path); !note.empty() && is_note(command, note))
    path.resize(path.size() - note.size() - 1);
  if (command.op == Op::write_file && command.ints[1] == 2)
    return require(path.empty() && command.ints[0] == 0, command, "what is known from reading has no path");
  if (path.empty() && command.op == Op::write_file && command.ints[1] == 1) return;  // only the checksums
  require(!path.empty() && path.size() < longest_path && path[0] == std::byte{'/'}, command,
          "the path is not absolute");
  require(std::find(path.begin(), path.end(), std::byte{0}) == path.end(), command,
          "the path has a zero in it");
}

void check_read(const Command& command) {
  const Shape& extents = command.out.extents;
  require(command.in.empty() && command.ints.size() == 2 + extents.size() && !extents.empty(), command,
          "expected an offset, an order of bytes and a stride per axis");
  require(command.out.dtype == command.loop, command, "the result has another dtype than the file");
  std::int64_t last = command.ints[0];
  const auto item = static_cast<std::int64_t>(size_of(command.loop));
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::int64_t stride = command.ints[2 + axis];
    require(stride >= 0 && stride < longest_file && stride % item == 0, command,
            "a stride is no number of elements");
    if (extents[axis] < 2) continue;
    require(stride <= (longest_file - last) / (extents[axis] - 1), command, "no file is that long");
    last += stride * (extents[axis] - 1);
  }
}

/// A row of int64, two for each rank.
void require_receipts(const Command& command) {
  require(command.out.extents.size() == 1 && command.out.dtype == Dtype::int64, command,
          "the result is not a row of int64");
}

void check_write(const Command& command) {
  require(command.in.size() == 1 && command.ints.size() == 2, command,
          "expected an array, an offset and whether checksums are wanted");
  const View* view = std::get_if<View>(&command.in[0]);
  require(view != nullptr && view->dtype == command.loop && !view->extents.empty(), command,
          "expected an array of the loop's dtype with an axis");
  require(element_count(view->extents) < longest_file / 16, command, "no file is that long");
  require_receipts(command);
}

void check_selection(const Command& command, const Selection& part) {
  const Shape& extents = command.out.extents;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    require(part.start[axis] >= 0 && part.start[axis] < longest_file && part.step[axis] >= 1 &&
                part.step[axis] < longest_file,
            command, "an axis begins before its first index, or has no step");
    if (extents[axis] < 2) continue;
    require(part.step[axis] <= (longest_file - part.start[axis]) / (extents[axis] - 1), command,
            "no axis is that long");
  }
}

void check_hdf5(const Command& command) {
  const auto dims = command.out.extents.size();
  require(dims > 0 && command.in.empty() && command.ints.size() == 2 * dims, command,
          "expected a start and a step per axis");
  check_selection(command, hdf5_selection(command));
}

void check_zarr(const Command& command) {
  const auto dims = command.out.extents.size();
  require(dims > 0 && command.ints.size() == 4 + 3 * dims, command,
          "expected four facts, then a start, a step and the extent of a chunk per axis");
  require(command.ints[0] >= 0 && command.ints[0] < static_cast<std::int64_t>(ChunkCodec::count), command,
          "unknown codec");
  require(std::all_of(command.ints.begin() + 1, command.ints.begin() + 4,
                      [](std::int64_t flag) { return flag == 0 || flag == 1; }),
          command, "expected flags");
  const auto* filling = command.in.size() == 1 ? std::get_if<Scalar>(&command.in[0]) : nullptr;
  require(filling != nullptr && filling->dtype == command.loop, command,
          "expected a number of the loop's dtype for what is not there");
  check_selection(command, zarr_selection(command));
  std::int64_t room = longest_chunk / static_cast<std::int64_t>(size_of(command.loop));
  for (const auto extent : zarr_chunks(command).extents) {
    require(extent >= 1 && extent <= room, command, "a chunk has no element, or more than two gigabytes");
    room /= extent;
  }
}

void check_pieces(const Command& command, const std::vector<Bytes>& payloads) {
  require(command.payload >= 0, command, "no payload");
  require(command.creates, command, "the result is no new array");
  const Bytes& payload = payloads[static_cast<std::size_t>(command.payload)];
  const auto name = piece_name(payload);
  const auto note = note_of(payload);
  require(payload.size() == name.size() || (!note.empty() && is_note(command, note)), command,
          "the name has a zero in it");
  const int parts = parts_of_piece_name(name);
  if (command.op == Op::read_pieces) {
    require(command.in.empty() && command.ints.empty() && !command.out.extents.empty(), command,
            "expected a result with an axis alone");
    require(command.out.dtype == command.loop, command, "the result has another dtype than the pieces");
    require(element_count(command.out.extents) < longest_file / 16, command, "no file is that long");
    return require(parts == 3, command, "the pieces of no array are named");
  }
  require(command.in.empty() && command.ints.size() == 2 && command.ints[0] >= 0 &&
              command.ints[0] < static_cast<std::int64_t>(PieceAction::count) && command.ints[1] >= 0 &&
              command.ints[1] < longest_file,
          command, "expected an action and a number of bytes");
  require_receipts(command);
  const bool may_be_session = command.ints[0] == static_cast<std::int64_t>(PieceAction::remove);
  require(parts == 2 || (parts == 1 && may_be_session), command, "no folder of a checkpoint is named");
}

}  // namespace

void check_file(const Command& command, const std::vector<Bytes>& payloads) {
  if (command.op == Op::read_pieces || command.op == Op::tend_pieces) return check_pieces(command, payloads);
  const bool is_write = command.op == Op::write_file || command.op == Op::write_pieces;
  require(!is_write || command.ints.size() == 2, command, "expected an offset and a flag");
  check_path(command, payloads);
  require(command.creates, command, "the result is no new array");
  if (command.op == Op::read_hdf5 || command.op == Op::read_zarr) {
    require(command.out.dtype == command.loop, command, "the result has another dtype than the dataset");
    return command.op == Op::read_hdf5 ? check_hdf5(command) : check_zarr(command);
  }
  require(command.ints.size() >= 2 && command.ints[0] >= 0 && command.ints[0] < longest_file &&
              command.ints[1] >= 0 && command.ints[1] <= (command.op == Op::write_file ? 2 : 1),
          command, "expected an offset and a flag");
  is_write ? check_write(command) : check_read(command);
}

}  // namespace gamelan::protocol
