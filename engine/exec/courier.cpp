// SPDX-License-Identifier: BSD-3-Clause
#include "engine/exec/courier.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "engine/exec/item.hpp"

namespace gamelan::engine::exec {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t largest_part = std::size_t{1} << 30;  // MPI counts are int
constexpr int step_tag = 1, swap_tag = 2;
constexpr std::int64_t most_unsent_bytes = std::int64_t{64} << 20;   // packed copies that MPI still has
constexpr std::int64_t most_mirrored_bytes = std::int64_t{32} << 20;  // kept from step to step
constexpr int yields_before_naps = 200;
constexpr int nap_us = 20;

/// One run of elements onto consecutive memory, or back.
void copy_run(std::byte* packed, std::byte* strided, std::int64_t count, std::int64_t stride, std::size_t item_bytes, bool packs) {
  if (stride == static_cast<std::int64_t>(item_bytes)) {
    const auto bytes = static_cast<std::size_t>(count) * item_bytes;
    packs ? std::memcpy(packed, strided, bytes) : std::memcpy(strided, packed, bytes);
    return;
  }
  with_item(item_bytes, [&](auto item) {
    using Item = decltype(item);
    auto* dense = reinterpret_cast<Item*>(packed);
    for (std::int64_t i = 0; i < count; ++i) {
      auto* element = reinterpret_cast<Item*>(strided + i * stride);
      packs ? void(dense[i] = *element) : void(*element = dense[i]);
    }
  });
}

/// All elements of a region, between `packed` and the block that begins at `block`.
void copy_region(const dist::Region& region, int owner, std::byte* block, std::byte* packed, bool packs) {
  dist::for_each_run(region, owner, [&](std::int64_t offset, std::int64_t count, std::int64_t stride) {
    copy_run(packed, block + offset, count, stride, region.item_bytes, packs);
    packed += count * static_cast<std::int64_t>(region.item_bytes);
  });
}

bool are_complete(std::vector<MPI_Request>& requests) {
  int is_done = 0;
  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done, MPI_STATUSES_IGNORE);
  return is_done != 0;
}

}  // namespace

Courier::Courier(Comm& comm, dist::Heap& heap, Board& board) : comm_(comm), heap_(heap), board_(board) {
  board_.set_meanwhile([this] {
    progress();
    return open_receives_ > 0 || !sent_.empty();
  });
}

Courier::~Courier() {
  board_.set_meanwhile({});
  if (std::uncaught_exceptions() == 0) drop_sent(true);
}

void Courier::post(std::vector<MPI_Request>& requests, bool is_send, int partner, std::span<std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size(); done += largest_part) {
    const auto count = static_cast<int>(std::min(largest_part, bytes.size() - done));
    requests.push_back(MPI_REQUEST_NULL);
    if (is_send) MPI_Isend(bytes.data() + done, count, MPI_BYTE, partner, step_tag, comm_.world(), &requests.back());
    else MPI_Irecv(bytes.data() + done, count, MPI_BYTE, partner, step_tag, comm_.world(), &requests.back());
  }
}

void Courier::pack(const dist::Message& message, Bytes& bytes) const {
  bytes.resize(static_cast<std::size_t>(message.bytes()));
  std::byte* next = bytes.data();
  for (const auto& region : message.regions) {
    std::byte* block = heap_.address(comm_.rank(), storages_[static_cast<std::size_t>(region.slot)]->block.offset);
    copy_region(region, comm_.rank(), block, next, true);
    next += region.bytes();
  }
}

void Courier::lay_down(const Incoming& incoming) {
  auto* next = const_cast<std::byte*>(incoming.bytes.data());
  for (const auto& region : incoming.message.regions) {
    const auto offset = storages_[static_cast<std::size_t>(region.slot)]->block.offset;
    copy_region(region, incoming.message.partner, heap_.mirror(incoming.message.partner, offset), next, false);
    next += region.bytes();
  }
  mirrored_bytes_ += static_cast<std::int64_t>(incoming.bytes.size());
}

void Courier::begin(const std::vector<dist::Reading>& readings, std::span<const dist::StoragePtr> storages) {
  swaps_done_ = 0;
  if (mirrored_bytes_ > most_mirrored_bytes) {  // of steps that are over
    heap_.drop_mirrors();
    mirrored_bytes_ = 0;
  }
  readings_ = readings;
  if (readings_.empty()) return;
  const auto exchange = dist::exchange_of(readings_, comm_.rank(), comm_.size(), [this](int rank) { return comm_.is_near(rank); });
  storages_ = storages;
  incoming_.clear();
  incoming_.reserve(exchange.receives.size());
  for (const auto& message : exchange.receives) {
    auto& incoming = incoming_.emplace_back(Incoming{message, {}, {}});
    incoming.bytes.resize(static_cast<std::size_t>(message.bytes()));
    post(incoming.requests, false, message.partner, incoming.bytes);
    counters_.bytes_received += incoming.bytes.size();
  }
  open_receives_ = incoming_.size();
  for (const auto& message : exchange.sends) {
    auto& sent = sent_.emplace_back();
    pack(message, sent.bytes);
    post(sent.requests, true, message.partner, sent.bytes);
    sent_bytes_ += static_cast<std::int64_t>(sent.bytes.size());
    counters_.bytes_sent += sent.bytes.size();
    ++counters_.messages;
  }
  if (!hides_) await();
}

/// Lays down what has come. True when something is still missing.
bool Courier::receive_some() {
  for (auto& incoming : incoming_) {
    if (incoming.requests.empty() || !are_complete(incoming.requests)) continue;
    incoming.requests.clear();
    lay_down(incoming);
    --open_receives_;
  }
  return open_receives_ > 0;
}

void Courier::progress() {
  if (open_receives_ > 0) receive_some();
  if (!sent_.empty()) drop_sent(false);
}

template <class Ready>
void Courier::wait_until(Ready is_ready) {
  if (is_ready()) return;
  const auto start = Clock::now();
  auto next_look = start + std::chrono::seconds(1);
  for (int turn = 0; !is_ready(); ++turn) {
    if (turn < yields_before_naps) sched_yield();
    else usleep(nap_us);
    if (turn % 256 == 255 && Clock::now() > next_look) {
      board_.check_alive();
      next_look += std::chrono::seconds(1);
    }
  }
  board_.add_wait_seconds(std::chrono::duration<double>(Clock::now() - start).count());
}

void Courier::await() {
  if (open_receives_ > 0) wait_until([this] { return !receive_some(); });
}

std::map<int, Bytes> Courier::swap(std::map<int, Bytes> outgoing) {
  ++swaps_done_;
  const auto ranks = static_cast<std::size_t>(comm_.size());
  std::vector<std::int64_t> going(ranks, 0), coming(ranks, 0);
  for (const auto& [partner, bytes] : outgoing) going[static_cast<std::size_t>(partner)] = static_cast<std::int64_t>(bytes.size());
  std::vector<MPI_Request> requests(1);
  MPI_Ialltoall(going.data(), 1, MPI_INT64_T, coming.data(), 1, MPI_INT64_T, comm_.world(), requests.data());
  wait_until([&] { return are_complete(requests); });
  requests.clear();
  std::map<int, Bytes> incoming;
  const auto exchange = [&](bool is_send, int partner, std::span<std::byte> bytes) {
    for (std::size_t done = 0; done < bytes.size(); done += largest_part) {
      const auto count = static_cast<int>(std::min(largest_part, bytes.size() - done));
      requests.push_back(MPI_REQUEST_NULL);
      if (is_send) MPI_Isend(bytes.data() + done, count, MPI_BYTE, partner, swap_tag, comm_.world(), &requests.back());
      else MPI_Irecv(bytes.data() + done, count, MPI_BYTE, partner, swap_tag, comm_.world(), &requests.back());
    }
  };
  for (std::size_t partner = 0; partner < ranks; ++partner) {
    if (coming[partner] == 0) continue;
    auto& bytes = incoming[static_cast<int>(partner)];
    bytes.resize(static_cast<std::size_t>(coming[partner]));
    exchange(false, static_cast<int>(partner), bytes);
    counters_.bytes_received += bytes.size();
  }
  for (auto& [partner, bytes] : outgoing) {
    if (bytes.empty()) continue;
    exchange(true, partner, bytes);
    counters_.bytes_sent += bytes.size();
    ++counters_.messages;
  }
  wait_until([&] { return are_complete(requests); });
  return incoming;
}

void Courier::finish(int swaps) {
  await();
  while (swaps_done_ < swaps) swap({});
  drop_sent(sent_bytes_ > most_unsent_bytes);
  incoming_.clear();
  readings_.clear();
  storages_ = {};
}

void Courier::drop_sent(bool waits) {
  for (auto& sent : sent_) {
    if (waits) wait_until([&] { return are_complete(sent.requests); });
    else if (!are_complete(sent.requests)) continue;
    sent_bytes_ -= static_cast<std::int64_t>(sent.bytes.size());
    sent.requests.clear();
    sent.bytes.clear();
  }
  std::erase_if(sent_, [](const Sent& sent) { return sent.requests.empty(); });
}

}  // namespace gamelan::engine::exec
