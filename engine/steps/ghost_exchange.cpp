// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/ghost_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "engine/assert.hpp"
#include "engine/distribution/pages.hpp"
#include "engine/steps/item.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Error;
using protocol::ErrorKind;

constexpr std::int64_t part_bytes = std::int64_t{16} << 20;  // of a message: what drain() has memory for
constexpr int step_tag = 1, swap_tag = 2;
constexpr std::int64_t has_failed = -1;                             // sent in place of a number of bytes
constexpr std::int64_t most_unsent_bytes = std::int64_t{64} << 20;  // packed copies that MPI still has
constexpr std::int64_t most_ghost_bytes = std::int64_t{32} << 20;   // kept from step to step

/// One run of elements onto consecutive memory, or back.
void copy_run(std::byte* packed, std::byte* strided, std::int64_t count, std::int64_t stride,
              std::size_t item_bytes, bool packs) {
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
void copy_region(const distribution::Region& region, int owner, std::byte* block, std::byte* packed,
                 bool packs) {
  distribution::for_each_run(region, owner,
                             [&](std::int64_t offset, std::int64_t count, std::int64_t stride) {
                               copy_run(packed, block + offset, count, stride, region.item_bytes, packs);
                               packed += count * static_cast<std::int64_t>(region.item_bytes);
                             });
}

bool are_complete(std::vector<MPI_Request>& requests, MPI_Status* statuses = MPI_STATUSES_IGNORE) {
  int is_done = 0;
  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done, statuses);
  return is_done != 0;
}

std::size_t parts_of(std::int64_t bytes) {
  return static_cast<std::size_t>((bytes + part_bytes - 1) / part_bytes);
}
std::unique_ptr<std::byte[]> memory_of(std::int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

}  // namespace

GhostExchange::GhostExchange(Comm& comm, distribution::Heap& heap, Board& board)
    : comm_(comm),
      heap_(heap),
      board_(board),
      going_(static_cast<std::size_t>(comm.size())),
      coming_(going_.size()),
      drain_(memory_of(part_bytes)) {
  board_.set_meanwhile([this] {
    progress();
    return is_busy() || (!is_lost_ && Clock::now() - last_send_ < longest_push);
  });
}

GhostExchange::~GhostExchange() {
  board_.set_meanwhile({});
  if (std::uncaught_exceptions() == 0 && !is_lost_) drop_sent(true);
}

// ---- a step

void GhostExchange::run_step(const distribution::Exchange& exchange,
                             std::span<const distribution::StoragePtr> storages, int swaps,
                             const std::function<void()>& body) {
  const bool is_whole = !is_silent_;
  try {
    begin(exchange, storages);
    if (!is_silent_)
      attempt([&] {
        if (!hides_) await();
        body();
      });
    finish(swaps);
  } catch (...) {  // only a lost node comes here
    is_lost_ = true;
    throw;
  }
  if (const auto failure = std::exchange(failure_, nullptr); failure && is_whole)
    std::rethrow_exception(failure);
}

template <class Part>
bool GhostExchange::attempt(Part part) {
  try {
    part();
    return true;
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    is_silent_ = true;
    return false;
  }
}

void GhostExchange::begin(const distribution::Exchange& exchange,
                          std::span<const distribution::StoragePtr> storages) {
  swaps_done_ = 0;
  trim_ghosts();  // they are of steps that are over
  exchange_ = &exchange;
  storages_ = storages;
  if (!is_silent_) attempt([&] { begin_receives(); });
  for (const auto& message : exchange.sends)
    if (is_silent_ || !attempt([&] { begin_send(message); })) post_nothing(message.partner, message.bytes());
}

void GhostExchange::begin_receives() {
  incoming_.reserve(exchange_->receives.size());
  for (const auto& message : exchange_->receives) {
    const auto size = message.bytes();
    Incoming incoming{&message, memory_of(size), {}, std::vector<MPI_Status>(parts_of(size))};
    incoming.requests.reserve(parts_of(size));
    auto& kept = incoming_.emplace_back(std::move(incoming));
    post(kept.requests, false, message.partner, step_tag, kept.bytes.get(), size);
    ++open_receives_;
    counters_.bytes_received += static_cast<std::uint64_t>(size);
  }
}

void GhostExchange::begin_send(const distribution::Message& message) {
  const auto size = message.bytes();
  Sent sent{size, memory_of(size), {}};
  sent.requests.reserve(parts_of(size));
  pack(message, sent.bytes.get());
  auto& kept = sent_.emplace_back(std::move(sent));
  post(kept.requests, true, message.partner, step_tag, kept.bytes.get(), size);
  sent_bytes_ += size;
  counters_.bytes_sent += static_cast<std::uint64_t>(size);
  ++counters_.messages;
}

void GhostExchange::pack(const distribution::Message& message, std::byte* next) const {
  for (const auto& region : message.regions) {
    std::byte* block =
        heap_.address(comm_.rank(), storages_[static_cast<std::size_t>(region.slot)]->block.offset);
    copy_region(region, comm_.rank(), block, next, true);
    next += region.bytes();
  }
}

void GhostExchange::lay_down(const Incoming& incoming) {
  const auto& message = *incoming.message;
  int came = 0;
  MPI_Get_count(&incoming.statuses.front(), MPI_BYTE, &came);
  if (came == 0) throw FollowsFailure(message.partner);
  std::byte* next = incoming.bytes.get();
  for (const auto& region : message.regions) {
    const auto offset = storages_[static_cast<std::size_t>(region.slot)]->block.offset;
    copy_region(region, message.partner, heap_.ghost_address(message.partner, offset), next, false);
    ghost_bytes_ += region.page_bytes_at(message.partner);
    next += region.bytes();
  }
}

/// Unpacks what has arrived. True when something is still missing.
bool GhostExchange::receive_some() {
  for (auto& incoming : incoming_) {
    if (incoming.requests.empty() || !are_complete(incoming.requests, incoming.statuses.data())) continue;
    incoming.requests.clear();
    --open_receives_;
    if (!is_silent_) attempt([&] { lay_down(incoming); });
    incoming.bytes.reset();
  }
  return open_receives_ > 0;
}

void GhostExchange::progress() {
  if (is_lost_) return;
  if (open_receives_ > 0) receive_some();
  if (!sent_.empty()) drop_sent(false);
  push();
}

/// What MPI has copied counts as sent, and may still wait in this process for room on its way: it leaves when
/// MPI is called.
void GhostExchange::push() const {
  int is_there = 0;
  if (last_send_ != Clock::time_point{})
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.world(), &is_there, MPI_STATUS_IGNORE);
}

void GhostExchange::await() {
  if (open_receives_ > 0) wait_until([this] { return !receive_some(); });
  if (failure_) std::rethrow_exception(failure_);
}

void GhostExchange::finish(int swaps) {
  if (open_receives_ > 0) wait_until([this] { return !receive_some(); });
  for (auto r = incoming_.size(); r < exchange_->receives.size(); ++r)
    drain(exchange_->receives[r].partner, step_tag, exchange_->receives[r].bytes());
  GAMELAN_ASSERT(cheap, is_silent_ || swaps_done_ == swaps, "a step swaps as often as the executor says");
  while (swaps_done_ < swaps) swap_nothing();
  drop_sent(sent_bytes_ > most_unsent_bytes);
  incoming_.clear();
  exchange_ = nullptr;
  storages_ = {};
}

void GhostExchange::rest() {
  drop_sent(true);
  trim_ghosts();
}

// ---- swaps

std::map<int, Bytes> GhostExchange::swap(std::map<int, Bytes> outgoing) {
  swap_ = {std::move(outgoing), {}, {}};
  attempt([&] {
    std::size_t parts = 0;
    for (const auto& [partner, bytes] : swap_.outgoing) parts += parts_of(std::ssize(bytes));
    swap_.requests.reserve(parts);
  });
  if (!announce()) std::rethrow_exception(failure_);

  const bool is_ready = attempt([&] {
    auto parts = swap_.requests.capacity();
    for (std::size_t partner = 0; partner < coming_.size(); ++partner)
      if (coming_[partner] > 0) {
        swap_.incoming[static_cast<int>(partner)].resize(static_cast<std::size_t>(coming_[partner]));
        parts += parts_of(coming_[partner]);
      }
    swap_.requests.reserve(parts);
  });
  for (auto& [partner, bytes] : swap_.incoming) {
    if (!is_ready) break;
    post(swap_.requests, false, partner, swap_tag, bytes.data(), std::ssize(bytes));
    counters_.bytes_received += bytes.size();
  }
  for (auto& [partner, bytes] : swap_.outgoing) {
    if (bytes.empty()) continue;
    post(swap_.requests, true, partner, swap_tag, bytes.data(), std::ssize(bytes));
    counters_.bytes_sent += bytes.size();
    ++counters_.messages;
  }
  for (std::size_t partner = 0; !is_ready && partner < coming_.size(); ++partner)
    if (coming_[partner] > 0) drain(static_cast<int>(partner), swap_tag, coming_[partner]);
  wait_until([this] { return are_complete(swap_.requests); });
  auto incoming = std::exchange(swap_, Swap{}).incoming;
  if (!is_ready) std::rethrow_exception(failure_);
  return incoming;
}

/// Tells every rank how much it will get, or that this rank has failed. False when any has: then nothing is
/// sent.
bool GhostExchange::announce() {
  ++swaps_done_;
  std::fill(going_.begin(), going_.end(), is_silent_ ? has_failed : 0);
  if (!is_silent_)
    for (const auto& [partner, bytes] : swap_.outgoing)
      going_[static_cast<std::size_t>(partner)] = std::ssize(bytes);
  last_send_ = Clock::now();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(going_.data(), 1, MPI_INT64_T, coming_.data(), 1, MPI_INT64_T, comm_.world(), &request);
  wait(request);
  const auto failed = std::find(coming_.begin(), coming_.end(), has_failed);
  return failed == coming_.end() ||
         attempt([&] { throw FollowsFailure(static_cast<int>(failed - coming_.begin())); });
}

/// Takes part in a swap that this rank has left out because it failed.
void GhostExchange::swap_nothing() {
  swap_ = {};
  announce();
}

// ---- MPI

void GhostExchange::post(Requests& requests, bool is_send, int partner, int tag, std::byte* bytes,
                         std::int64_t size) {
  if (is_send) last_send_ = Clock::now();
  for (std::int64_t done = 0; done < size; done += part_bytes) {
    const auto count = static_cast<int>(std::min(part_bytes, size - done));
    requests.push_back(MPI_REQUEST_NULL);
    if (is_send)
      MPI_Isend(bytes + done, count, MPI_BYTE, partner, tag, comm_.world(), &requests.back());
    else
      MPI_Irecv(bytes + done, count, MPI_BYTE, partner, tag, comm_.world(), &requests.back());
  }
}

/// In place of a message of `size` bytes, sends as many parts, all empty, which needs no memory and no
/// waiting.
void GhostExchange::post_nothing(int partner, std::int64_t size) {
  last_send_ = Clock::now();
  for (std::size_t part = 0; part < parts_of(size); ++part) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_BYTE, partner, step_tag, comm_.world(), &request);
    MPI_Request_free(&request);
  }
}

void GhostExchange::drain(int partner, int tag, std::int64_t size) {
  for (std::int64_t done = 0; done < size; done += part_bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(drain_.get(), static_cast<int>(std::min(part_bytes, size - done)), MPI_BYTE, partner, tag,
              comm_.world(), &request);
    wait(request);
  }
}

void GhostExchange::wait_until(const std::function<bool()>& is_ready) {
  if (is_ready()) return;
  const auto start = Clock::now();
  comm_.wait_until(is_ready);
  board_.add_wait_seconds(std::chrono::duration<double>(Clock::now() - start).count());
}

void GhostExchange::drop_sent(bool waits) {
  for (auto& sent : sent_) {
    if (waits)
      wait_until([&] { return are_complete(sent.requests); });
    else if (!are_complete(sent.requests))
      continue;
    sent_bytes_ -= sent.size;
    sent.requests.clear();
    sent.bytes.reset();
  }
  std::erase_if(sent_, [](const Sent& sent) { return sent.requests.empty(); });
}

// ---- memory

void GhostExchange::make_room(std::int64_t ghosts, std::int64_t passing, int ranks) {
  if (!distribution::has_room(static_cast<std::size_t>(ghosts + passing), ranks))
    throw Error(
        ErrorKind::memory,
        "[run] the elements of other nodes that this rank reads take up to " +
            std::to_string((ghosts + passing) >> 20) +
            " MiB, which its node does not have: read fewer at a time, or start engines with less heap");
  ghost_bytes_ += ghosts;
}

void GhostExchange::trim_ghosts() {
  if (ghost_bytes_ <= most_ghost_bytes) return;
  heap_.drop_ghosts();
  ghost_bytes_ = 0;
}

}  // namespace gamelan::engine::steps
