// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/piece_messages.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr int pieces_tag = 3;  // 1 and 2 are those of the ghost exchange

}  // namespace

std::vector<std::vector<std::int64_t>> words_of_all(Comm& comm, const std::vector<std::int64_t>& mine) {
  struct Memory {
    std::vector<int> counts, places;
    std::vector<std::int64_t> mine, all;
    int count = 0;
  };
  std::unique_ptr<Memory> memory;
  const auto wait = [&](MPI_Request request) {
    try {
      comm.wait(request);
    } catch (...) {
      memory.release();  // MPI may still write to it
      throw;
    }
  };
  const auto ranks = static_cast<std::size_t>(comm.size());
  comm.throw_together(error_of([&] {
    memory = std::make_unique<Memory>();
    memory->mine = mine;
    memory->count = static_cast<int>(mine.size());
    memory->counts.resize(ranks);
    memory->places.resize(ranks);
  }));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&memory->count, 1, MPI_INT, memory->counts.data(), 1, MPI_INT, comm.world(), &request);
  wait(request);
  int total = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    memory->places[rank] = total;
    total += memory->counts[rank];
  }
  comm.throw_together(error_of([&] { memory->all.resize(static_cast<std::size_t>(total)); }));
  MPI_Iallgatherv(memory->mine.data(), memory->count, MPI_INT64_T, memory->all.data(), memory->counts.data(),
                  memory->places.data(), MPI_INT64_T, comm.world(), &request);
  wait(request);
  std::vector<std::vector<std::int64_t>> words;
  comm.throw_together(error_of([&] {
    words.resize(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto first = memory->all.begin() + memory->places[rank];
      words[rank].assign(first, first + memory->counts[rank]);
    }
  }));
  return words;
}

std::vector<int> leaders_of_all(Comm& comm) {
  std::vector<int> leaders;
  for (const auto& words : words_of_all(comm, {comm.leader()})) leaders.push_back(static_cast<int>(words[0]));
  return leaders;
}

PieceRounds::PieceRounds(Comm& comm, std::size_t coming, std::size_t going, std::size_t messages)
    : comm_(comm), coming_(new std::byte[coming]), going_(new std::byte[going]) {
  requests_.reserve(messages);
}

PieceRounds::~PieceRounds() {
  if (requests_.empty()) return;
  coming_.release();
  going_.release();
}

std::span<std::byte> PieceRounds::receive(int from, std::int64_t bytes) {
  const std::span<std::byte> memory(coming_.get() + coming_used_, static_cast<std::size_t>(bytes));
  coming_used_ += memory.size();
  requests_.push_back(MPI_REQUEST_NULL);
  MPI_Irecv(memory.data(), static_cast<int>(bytes), MPI_BYTE, from, pieces_tag, comm_.world(),
            &requests_.back());
  return memory;
}

std::span<std::byte> PieceRounds::room(std::int64_t bytes) {
  const std::span<std::byte> memory(going_.get() + going_used_, static_cast<std::size_t>(bytes));
  going_used_ += memory.size();
  return memory;
}

void PieceRounds::send(int to, std::span<const std::byte> bytes) {
  requests_.push_back(MPI_REQUEST_NULL);
  MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, pieces_tag, comm_.world(),
            &requests_.back());
}

void PieceRounds::wait() {
  comm_.wait_until([this] {
    int are_done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &are_done, MPI_STATUSES_IGNORE);
    return are_done != 0;
  });
  requests_.clear();
  coming_used_ = going_used_ = 0;
}

}  // namespace gamelan::engine::steps
