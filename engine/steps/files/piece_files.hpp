// SPDX-License-Identifier: BSD-3-Clause
// Pieces of a checkpoint in the memory of this node: files below /dev/shm, for this user alone. A piece is
// what one rank had of one array, in C order. Its file's name says which bytes of the array it has, and their
// checksum; a file with such a name is whole. Local to the node; it knows no other.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/steps/files/file.hpp"

namespace gamelan::engine::steps {

struct Piece {
  std::int64_t first = 0, bytes = 0;  ///< of the array in C order
  std::uint32_t sum = 0;              ///< CRC-32
  int writer = 0;                     ///< the rank whose part it was
  bool is_copy = false;               ///< kept for another node
  bool operator==(const Piece&) const = default;
};
/// "FIRST-BYTES-SUM-WRITER", and "-copy" of a copy.
std::string name_of(const Piece& piece);
std::optional<Piece> piece_of(const std::string& name);

/// Where the pieces of this user lie on this node.
std::filesystem::path piece_base();
/// The folder of a name that protocol::parts_of_piece_name accepts.
std::filesystem::path piece_folder(const std::string& name);
/// Makes such a folder, and those above it, for this user alone. Throws Error{os} where something else is
/// there.
void make_piece_folder(const std::string& name);
/// Whole pieces in the folder of an array; none where there is no folder.
std::vector<Piece> pieces_in(const std::filesystem::path& folder);
/// Removes what there is of such a name, and the folders above it in which nothing is left.
void remove_pieces(const std::string& name);
/// Removes the folders of sessions that no engine has held for an hour (piece_leases.hpp).
void remove_left_pieces();

/// A piece that is being written. Without `finish` nothing is left of it.
class NewPiece {
 public:
  NewPiece(const std::string& name, int writer, bool is_copy);
  ~NewPiece();
  NewPiece(const NewPiece&) = delete;
  NewPiece& operator=(const NewPiece&) = delete;
  /// `offset`: from the first byte of the piece on.
  void write(std::span<const std::byte> bytes, std::int64_t offset) { file_.write(bytes, offset); }
  /// All of it is written.
  void finish(const Piece& piece);

 private:
  std::filesystem::path folder_;
  std::string part_;  // its path, until it has its name
  File file_;
};

}  // namespace gamelan::engine::steps
