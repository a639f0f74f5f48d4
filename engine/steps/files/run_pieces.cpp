// SPDX-License-Identifier: BSD-3-Clause
// Fills a new array with the pieces that lie in the memory of the nodes. The ranks of a node share the
// looking through of its files. All ranks hear which pieces were found whole, choose one holder for each, and
// know all messages. A range of the array's bytes is a few boxes; each rank gets what its block has of them.
#include <algorithm>
#include <cstring>
#include <map>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/files/checksum.hpp"
#include "engine/steps/files/piece_files.hpp"
#include "engine/steps/files/piece_leases.hpp"
#include "engine/steps/files/piece_messages.hpp"
#include "engine/steps/files/piece_plan.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using protocol::Shape;

// A rank may get a message from each other one in a round: of many ranks they are smaller.
constexpr std::int64_t most_coming = std::int64_t{256} << 20, least_message_bytes = 64 << 10;

/// The pieces of one array that this rank looks after, each with its open file.
struct OwnPieces {
  std::map<std::int64_t, File> files;  // by the first byte
  std::vector<std::int64_t> words;     // first, bytes of each
};

bool is_whole(const File& file, const Piece& piece, protocol::Bytes& buffer) {
  if (file.size() != piece.bytes) return false;
  std::uint32_t sum = 0;
  for (std::int64_t done = 0; done < piece.bytes;) {
    const auto some = std::min(piece.bytes - done, piece_message_bytes);
    const auto part = std::span(buffer).first(static_cast<std::size_t>(some));
    file.read(part, done);
    sum = checksum(sum, part);
    done += some;
  }
  return sum == piece.sum;
}

/// Looks through this rank's share of the files on its node.
OwnPieces whole_pieces(const StepContext& context, const std::string& name, std::int64_t item) {
  OwnPieces own;
  if (context.comm().is_leader()) PieceLeases::of_process().hold(name);
  const auto& near = context.near_ranks();
  const auto place = std::find(near.begin(), near.end(), context.rank()) - near.begin();
  const auto folder = piece_folder(name);
  protocol::Bytes buffer(static_cast<std::size_t>(piece_message_bytes));
  for (const auto& piece : pieces_in(folder)) {
    if (piece.writer % std::ssize(near) != place || piece.first % item != 0 || piece.bytes % item != 0 ||
        own.files.contains(piece.first))
      continue;
    const auto path = (folder / name_of(piece)).string();
    const auto* first = reinterpret_cast<const std::byte*>(path.data());
    try {
      File file({first, first + path.size()}, File::Access::read);
      if (!is_whole(file, piece, buffer)) continue;
      own.words.insert(own.words.end(), {piece.first, piece.bytes});
      own.files.emplace(piece.first, std::move(file));
    } catch (const protocol::Error&) {  // it cannot be read: another copy may be
    }
    context.progress();
  }
  return own;
}

/// A part of a piece that goes in one round.
struct Part {
  std::int64_t piece;        // its first byte
  std::int64_t first, last;  // elements of the array
};

/// What comes from a rank in one round, or goes there.
struct Message {
  const Part* part;
  int rank;
  std::int64_t bytes;
  std::span<std::byte> memory;  // of what comes
};
struct Round {
  const Part* own;  // that this rank reads; null: none
  std::vector<Message> coming, going;
};

/// What goes where: the same on all ranks. What the exchange needs is found before it begins.
class Passage {
 public:
  Passage(const StepContext& context, const plan::ReadPieces& step, const std::vector<FoundPiece>& chosen)
      : context_(context),
        step_(step),
        extents_(context.info(step.out).extents),
        item_(static_cast<std::int64_t>(protocol::size_of(step.dtype))),
        strides_(protocol::contiguous_strides(extents_, protocol::size_of(step.dtype))),
        parts_(static_cast<std::size_t>(context.ranks())) {
    const auto together =
        std::clamp(most_coming / context.ranks(), least_message_bytes, piece_message_bytes) / item_;
    for (const auto& piece : chosen) {
      const auto end = (piece.first + piece.bytes) / item_;
      for (auto first = piece.first / item_; first < end; first += together)
        parts_[static_cast<std::size_t>(piece.rank)].push_back(
            {piece.first, first, std::min(first + together, end)});
    }
    find_messages();
  }

  std::size_t coming() const { return coming_; }      // bytes in any round
  std::size_t going() const { return going_; }        // the same
  std::size_t messages() const { return messages_; }  // in any round

  void run(const OwnPieces& own, PieceRounds& messages, FirstProblem& problem) {
    for (auto& round : rounds_) {
      for (auto& each : round.coming) each.memory = messages.receive(each.rank, each.bytes);
      if (round.own != nullptr) send(round, own, messages, problem);
      messages.wait();
      for (const auto& each : round.coming)
        problem.attempt([&] { lay_down(*each.part, each.memory.data()); });
    }
  }

 private:
  const Part* part_of(int holder, std::size_t round) const {
    const auto& parts = parts_[static_cast<std::size_t>(holder)];
    return round < parts.size() ? &parts[round] : nullptr;
  }

  /// Visits what the block of `rank` has of a part.
  template <class Visit>
  void for_each_common(const Part& part, int rank, Visit visit) const {
    const auto& layout = context_.info(step_.out).layout;
    if (!layout.takes_part(rank)) return;
    const Box block = layout.box(rank);
    if (distribution::is_empty(block)) return;
    for_each_box(extents_, part.first, part.last, [&](const Box& box) {
      const Box common = distribution::intersection(box, block);
      if (!distribution::is_empty(common)) visit(common, block);
    });
  }

  std::int64_t bytes_for(const Part& part, int rank) const {
    std::int64_t elements = 0;
    for_each_common(part, rank,
                    [&](const Box& common, const Box&) { elements += distribution::volume(common); });
    return elements * item_;
  }

  void find_messages() {
    std::size_t count = 0;
    for (const auto& parts : parts_) count = std::max(count, parts.size());
    rounds_.resize(count);
    for (std::size_t number = 0; number < count; ++number) {
      Round& round = rounds_[number];
      std::int64_t coming = 0, going = 0;
      for (int holder = 0; holder < context_.ranks(); ++holder) {
        const Part* part = part_of(holder, number);
        const bool is_own = holder == context_.rank();
        const auto bytes = part == nullptr || is_own ? 0 : bytes_for(*part, context_.rank());
        if (bytes > 0) round.coming.push_back({part, holder, bytes, {}});
        coming += bytes;
      }
      round.own = part_of(context_.rank(), number);
      if (round.own != nullptr) going = (round.own->last - round.own->first) * item_;
      for (int rank = 0; rank < context_.ranks() && round.own != nullptr; ++rank)
        if (const auto bytes = bytes_for(*round.own, rank); bytes > 0) {
          round.going.push_back({round.own, rank, bytes, {}});
          going += bytes;
        }
      coming_ = std::max(coming_, static_cast<std::size_t>(coming));
      going_ = std::max(going_, static_cast<std::size_t>(going));
      messages_ = std::max(messages_, round.coming.size() + round.going.size());
    }
  }

  /// Reads a part and sends to each rank what its block has of it.
  void send(const Round& round, const OwnPieces& own, PieceRounds& messages, FirstProblem& problem) const {
    const Part& part = *round.own;
    const auto bytes = messages.room((part.last - part.first) * item_);
    problem.attempt([&] { own.files.at(part.piece).read(bytes, part.first * item_ - part.piece); });
    for (const auto& message : round.going) {
      const auto packed = messages.room(message.bytes);
      problem.attempt([&] { pack(part, message.rank, bytes.data(), packed.data()); });
      if (message.rank == context_.rank())
        problem.attempt([&] { lay_down(part, packed.data()); });
      else
        messages.send(message.rank, packed);
    }
  }

  /// What the block of `rank` has of a part, one box after the other.
  void pack(const Part& part, int rank, const std::byte* bytes, std::byte* next) const {
    for_each_common(part, rank, [&](const Box& common, const Box&) {
      std::int64_t offset = -part.first * item_;
      for (std::size_t k = 0; k < common.size(); ++k) offset += common[k].first * strides_[k];
      const Shape extents = distribution::extents_of(common);
      copy_box(step_.dtype, step_.dtype, extents, bytes + offset, strides_, next,
               protocol::contiguous_strides(extents, protocol::size_of(step_.dtype)));
      next += distribution::volume(common) * item_;
    });
  }

  /// Puts into this rank's block what it has of a part.
  void lay_down(const Part& part, const std::byte* next) const {
    for_each_common(part, context_.rank(), [&](const Box& common, const Box& block) {
      const Shape extents = distribution::extents_of(common);
      const auto strides =
          protocol::contiguous_strides(distribution::extents_of(block), protocol::size_of(step_.dtype));
      std::int64_t offset = 0;
      for (std::size_t k = 0; k < common.size(); ++k)
        offset += (common[k].first - block[k].first) * strides[k];
      copy_box(step_.dtype, step_.dtype, extents, next,
               protocol::contiguous_strides(extents, protocol::size_of(step_.dtype)),
               context_.own_block(step_.out) + offset, strides);
      next += distribution::volume(common) * item_;
    });
  }

  const StepContext& context_;
  const plan::ReadPieces& step_;
  Shape extents_;
  std::int64_t item_;
  Shape strides_;
  std::vector<std::vector<Part>> parts_;  // of each holder
  std::vector<Round> rounds_;
  std::size_t coming_ = 0, going_ = 0, messages_ = 0;
};

/// The same on all ranks, from what each has found.
std::vector<FoundPiece> choose(const std::vector<std::vector<std::int64_t>>& words, std::int64_t bytes) {
  std::vector<FoundPiece> found;
  for (std::size_t rank = 0; rank < words.size(); ++rank)
    for (std::size_t place = 0; place + 2 <= words[rank].size(); place += 2)
      found.push_back({words[rank][place], words[rank][place + 1], static_cast<std::int64_t>(rank)});
  auto chosen = chosen_pieces(std::move(found), bytes);
  const auto covered = chosen.empty() ? 0 : chosen.back().first + chosen.back().bytes;
  if (covered != bytes)
    throw protocol::Error(protocol::ErrorKind::value,
                          "[read_pieces] the nodes of these engines do not have byte " +
                              std::to_string(covered) + " of " + std::to_string(bytes) +
                              " in their memory any more, or what they have is damaged");
  return chosen;
}

}  // namespace

void run(const StepContext& context, const plan::ReadPieces& step) {
  auto& comm = context.comm();
  const auto name = protocol::piece_name(context.payload(step.payload));
  const auto item = static_cast<std::int64_t>(protocol::size_of(step.dtype));
  const auto bytes = protocol::element_count(context.info(step.out).extents) * item;
  OwnPieces own;
  comm.throw_together(error_of([&] { own = whole_pieces(context, name, item); }));
  const auto words = words_of_all(comm, own.words);
  std::optional<Passage> passage;
  std::optional<PieceRounds> messages;
  std::optional<FirstProblem> problem;
  comm.throw_together(error_of([&] {
    problem.emplace();
    passage.emplace(context, step, choose(words, bytes));
    messages.emplace(comm, passage->coming(), passage->going(), passage->messages());
  }));
  passage->run(own, *messages, *problem);
  comm.throw_together(problem->first());
}

}  // namespace gamelan::engine::steps
