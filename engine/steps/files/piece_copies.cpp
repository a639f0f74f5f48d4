// SPDX-License-Identifier: BSD-3-Clause
// A rank and its buddy both know the list of the pieces, so both know all messages. What goes wrong on the
// way is remembered, and the messages go on.
#include "engine/steps/files/piece_copies.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "engine/steps/files/checksum.hpp"
#include "engine/steps/files/piece_files.hpp"
#include "engine/steps/files/piece_messages.hpp"
#include "engine/steps/files/piece_plan.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::size_t words_of_piece = 4;

struct Listed {
  std::uint64_t array;
  Piece piece;
};

std::string array_name(const std::string& checkpoint, std::uint64_t array) {
  char text[20] = {};
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(array));
  return checkpoint + "/" + text;
}

protocol::Bytes as_bytes(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// What this rank has written.
std::vector<Listed> own_pieces(const std::string& checkpoint, int rank) {
  std::vector<Listed> list;
  std::error_code error;
  for (std::filesystem::directory_iterator folder(piece_folder(checkpoint), error), end;
       !error && folder != end; folder.increment(error)) {
    const auto array = std::stoull(folder->path().filename().string(), nullptr, 16);
    for (const auto& piece : pieces_in(folder->path()))
      if (piece.writer == rank && !piece.is_copy) list.push_back({array, piece});
  }
  return list;
}

std::vector<std::int64_t> words_of(const std::vector<Listed>& list) {
  std::vector<std::int64_t> words;
  for (const auto& [array, piece] : list)
    words.insert(words.end(), {static_cast<std::int64_t>(array), piece.first, piece.bytes, piece.sum});
  return words;
}

std::vector<Listed> list_of(const std::vector<std::int64_t>& words, int writer) {
  std::vector<Listed> list;
  for (std::size_t place = 0; place + words_of_piece <= words.size(); place += words_of_piece)
    list.push_back(
        {static_cast<std::uint64_t>(words[place]),
         {words[place + 1], words[place + 2], static_cast<std::uint32_t>(words[place + 3]), writer, true}});
  return list;
}

/// The pieces of one rank, message by message.
class Stream {
 public:
  explicit Stream(std::vector<Listed> list) : list_(std::move(list)) {}
  bool is_over() const { return place_ == list_.size(); }
  const Listed& now() const { return list_[place_]; }
  std::int64_t done() const { return done_; }
  std::int64_t bytes() const { return std::min(now().piece.bytes - done_, piece_message_bytes); }
  bool is_last() const { return done_ + bytes() == now().piece.bytes; }
  void advance() {
    const bool is_next = is_last();
    done_ = is_next ? 0 : done_ + bytes();
    place_ += is_next ? 1 : 0;
  }

 private:
  std::vector<Listed> list_;
  std::size_t place_ = 0;
  std::int64_t done_ = 0;
};

/// Reads this rank's pieces.
class Source {
 public:
  Source(const std::string& checkpoint, std::vector<Listed> list)
      : checkpoint_(checkpoint), stream(std::move(list)) {}
  void read(std::span<std::byte> bytes) {
    if (stream.done() == 0) {
      const auto& [array, piece] = stream.now();
      file_.reset();
      const auto folder = piece_folder(array_name(checkpoint_, array));
      file_.emplace(as_bytes((folder / name_of(piece)).string()), File::Access::read);
    }
    file_->read(bytes, stream.done());
  }

 private:
  const std::string& checkpoint_;
  std::optional<File> file_;

 public:
  Stream stream;
};

/// Writes copies of another rank's pieces.
class Sink {
 public:
  Sink(const std::string& checkpoint, std::vector<Listed> list)
      : checkpoint_(checkpoint), stream(std::move(list)) {}
  void write(std::span<const std::byte> bytes, Copied& copied) {
    const auto& [array, piece] = stream.now();
    if (stream.done() == 0) {
      sum_ = 0;
      copy_.reset();
      copy_.emplace(array_name(checkpoint_, array), piece.writer, true);
    }
    if (!copy_) return;  // it has failed before
    copy_->write(bytes, stream.done());
    sum_ = checksum(sum_, bytes);
    if (!stream.is_last()) return;
    if (sum_ != piece.sum)
      throw protocol::Error(protocol::ErrorKind::os, "a piece of a checkpoint has changed on its way");
    copy_->finish(piece);
    copy_.reset();
    ++copied.pieces;
    copied.bytes += piece.bytes;
  }
  void drop() { copy_.reset(); }

 private:
  const std::string& checkpoint_;
  std::optional<NewPiece> copy_;
  std::uint32_t sum_ = 0;

 public:
  Stream stream;
};

}  // namespace

Copied copy_pieces(Comm& comm, const std::string& checkpoint) {
  Copied copied;
  const auto leaders = leaders_of_all(comm);
  Buddies buddies;
  std::vector<Listed> own;
  std::vector<std::int64_t> own_words;
  comm.throw_together(error_of([&] {
    buddies = buddies_of(comm.rank(), leaders);
    if (buddies.target < 0) return;
    own = own_pieces(checkpoint, comm.rank());
    own_words = words_of(own);
  }));
  if (buddies.target < 0) return copied;
  const auto words = words_of_all(comm, own_words);
  std::optional<Source> source;
  std::map<int, Sink> sinks;
  std::optional<PieceRounds> rounds;
  std::vector<std::pair<Sink*, std::span<std::byte>>> coming;
  std::optional<FirstProblem> problem;
  comm.throw_together(error_of([&] {
    problem.emplace();
    source.emplace(checkpoint, std::move(own));
    for (const int rank : buddies.sources)
      sinks.try_emplace(rank, checkpoint, list_of(words[static_cast<std::size_t>(rank)], rank));
    const auto most = static_cast<std::size_t>(piece_message_bytes);
    rounds.emplace(comm, most * sinks.size(), most, sinks.size() + 1);
    coming.reserve(sinks.size());
  }));
  const auto is_over = [&] {
    return source->stream.is_over() && std::all_of(sinks.begin(), sinks.end(), [](const auto& each) {
             return each.second.stream.is_over();
           });
  };
  while (!is_over()) {
    coming.clear();
    for (auto& [rank, sink] : sinks)
      if (!sink.stream.is_over()) coming.emplace_back(&sink, rounds->receive(rank, sink.stream.bytes()));
    if (!source->stream.is_over()) {
      const auto bytes = rounds->room(source->stream.bytes());
      problem->attempt([&] { source->read(bytes); });
      source->stream.advance();
      rounds->send(buddies.target, bytes);
    }
    rounds->wait();
    for (auto& [sink, bytes] : coming) {
      if (!problem->attempt([&, into = sink, part = bytes] { into->write(part, copied); })) sink->drop();
      sink->stream.advance();
    }
  }
  comm.throw_together(problem->first());
  return copied;
}

}  // namespace gamelan::engine::steps
