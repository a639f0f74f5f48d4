// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/piece_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "engine/host_name.hpp"

namespace gamelan::engine::steps {
namespace {

namespace fs = std::filesystem;

constexpr auto longest_unheld = std::chrono::hours(1);
constexpr int most_turns = 100;
constexpr const char* ending_of_copies = "-copy";

[[noreturn]] void refuse(int number, const std::string& what) {
  throw protocol::Error(protocol::ErrorKind::os, "[Errno " + std::to_string(number) + "] " + host_name() +
                                                     " cannot " + what + ": " + std::strerror(number));
}

/// Is it a folder, no link, of this user alone? /dev/shm is everybody's.
bool is_private(const fs::path& folder) {
  struct stat facts {};
  return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() &&
         (facts.st_mode & 077) == 0;
}

/// Makes a folder that nobody else can read or write. False where the one above it is gone.
bool make_private(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return true;
  if (errno == ENOENT) return false;
  if (errno != EEXIST) refuse(errno, "make " + folder.string());
  if (!is_private(folder))
    refuse(EACCES, "use " + folder.string() + ", which is not a folder of this user alone");
  return true;
}

bool make_private_folders(const std::string& name) {
  fs::path folder = piece_base();
  if (!make_private(folder)) return false;
  for (const auto& part : fs::path(name))
    if (!make_private(folder /= part)) return false;
  return true;
}

/// The next number of a name, and what separates it from those that follow. False where there is none.
template <class Number>
bool take_number(const char*& next, const char* end, int base, Number& number) {
  const auto found = std::from_chars(next, end, number, base);
  if (found.ec != std::errc{} || found.ptr == next) return false;
  next = found.ptr;
  if (next != end && *next == '-') ++next;
  return true;
}

bool is_own_base() { return is_private(piece_base()); }

}  // namespace

std::string name_of(const Piece& piece) {
  char text[100] = {};
  std::snprintf(text, sizeof text, "%lld-%lld-%08x-%d", static_cast<long long>(piece.first),
                static_cast<long long>(piece.bytes), piece.sum, piece.writer);
  return std::string(text) + (piece.is_copy ? ending_of_copies : "");
}

std::optional<Piece> piece_of(const std::string& name) {
  Piece piece;
  const char* next = name.data();
  const char* end = next + name.size();
  if (!take_number(next, end, 10, piece.first) || !take_number(next, end, 10, piece.bytes) ||
      !take_number(next, end, 16, piece.sum) || !take_number(next, end, 10, piece.writer))
    return std::nullopt;
  piece.is_copy = next != end;
  if (name_of(piece) != name || piece.first < 0 || piece.bytes <= 0) return std::nullopt;
  return piece;
}

fs::path piece_base() { return "/dev/shm/gamelan-kept-" + std::to_string(::geteuid()); }

fs::path piece_folder(const std::string& name) { return piece_base() / name; }

void make_piece_folder(const std::string& name) {
  for (int turn = 0; turn < most_turns; ++turn)  // other sessions remove empty folders
    if (make_private_folders(name)) return;
  refuse(ENOENT, "make " + piece_folder(name).string());
}

std::vector<Piece> pieces_in(const fs::path& folder) {
  std::vector<Piece> pieces;
  if (!is_own_base()) return pieces;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error))
    if (const auto piece = piece_of(file->path().filename().string())) pieces.push_back(*piece);
  return pieces;
}

void remove_pieces(const std::string& name) {
  if (!is_own_base()) return;
  std::error_code error;
  fs::remove_all(piece_folder(name), error);
  const auto session = *fs::path(name).begin();
  ::rmdir((piece_base() / session).c_str());  // refused while something is in it, as is this
  ::rmdir(piece_base().c_str());
}

void remove_left_pieces() {
  if (!is_own_base()) return;
  std::error_code error;
  const auto now = std::chrono::system_clock::now();
  for (fs::directory_iterator folder(piece_base(), error), end; !error && folder != end;
       folder.increment(error)) {
    struct stat facts {};
    const auto& path = folder->path();
    if (path.filename().string().rfind("pieces-", 0) != 0 || ::lstat(path.c_str(), &facts) != 0 ||
        !S_ISDIR(facts.st_mode))
      continue;
    if (now - std::chrono::system_clock::from_time_t(facts.st_mtim.tv_sec) > longest_unheld) {
      std::error_code ignored;  // the other ones may be removed all the same
      fs::remove_all(path, ignored);
    }
  }
}

NewPiece::NewPiece(const std::string& name, int writer, bool is_copy)
    : folder_((make_piece_folder(name), piece_folder(name))),
      part_((folder_ / ("." + std::to_string(writer) + (is_copy ? ending_of_copies : ""))).string()),
      file_((::unlink(part_.c_str()), File::create(part_))) {}

NewPiece::~NewPiece() {
  if (!part_.empty()) ::unlink(part_.c_str());
}

void NewPiece::finish(const Piece& piece) {
  file_.close();
  if (::rename(part_.c_str(), (folder_ / name_of(piece)).c_str()) != 0)
    refuse(errno, "name a piece in " + folder_.string());
  part_.clear();
}

}  // namespace gamelan::engine::steps
