// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/plan_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "engine/plan/calls.hpp"

namespace gamelan::engine::plan {

using protocol::Batch;
using protocol::Command;

/// Writes the key of a batch, and numbers its arrays.
class PlanCache::Writer {
 public:
  Writer(Key& key, const Catalog& catalog) : key_(key), catalog_(catalog) {
    key_.words.clear();
    key_.names.clear();
    key_.numbers.clear();
    key_.is_sound = true;
  }

  void write(const Batch& batch, const Options& options) {
    put(options.ranks << 3 | static_cast<int>(options.tiling) << 1 | static_cast<int>(options.keeps_unread));
    put(batch.watched);
    for (const auto& pass : options.disabled) {  // in order: it is a std::set
      put(static_cast<std::int64_t>(pass.size()));
      for (const char c : pass) put(c);
    }
    put(-1);
    for (std::size_t c = 0; c < batch.commands.size(); ++c)
      write(batch.commands[c], batch, goes_on(batch, c));
    put(-1);
    for (const auto id : batch.frees)
      if (is_named(id) || catalog_(id) != nullptr) write_array(id);  // the engines have never had the others
    put(-1);
    for (const auto& view : batch.fetches) write(view);
  }

 private:
  void put(std::int64_t word) { key_.words.push_back(word); }
  void put(const Shape& shape) { key_.words.insert(key_.words.end(), shape.begin(), shape.end()); }
  bool is_named(ArrayId id) const { return key_.numbers.contains(id); }

  void write(const Command& command, const Batch& batch, bool goes_on) {
    // Operands first: then a command that reads the array it claims to create differs from one that creates
    // it.
    put(static_cast<std::int64_t>(command.op) | static_cast<std::int64_t>(command.loop) << 16 |
        static_cast<std::int64_t>(command.creates) << 24 | static_cast<std::int64_t>(goes_on) << 25 |
        static_cast<std::int64_t>(command.in.size()) << 32 |
        static_cast<std::int64_t>(command.ints.size()) << 40);
    for (const auto& operand : command.in) {
      if (const auto* view = std::get_if<View>(&operand))
        write(*view);
      else
        write(std::get<protocol::Scalar>(operand));
    }
    put(command.ints);
    if (command.payload >= 0) {
      put(command.payload);
      put(command.payload < static_cast<std::int32_t>(batch.payloads.size())
              ? static_cast<std::int64_t>(batch.payloads[static_cast<std::size_t>(command.payload)].size())
              : -1);
    }
    if (command.creates) {
      key_.is_sound = key_.is_sound && !is_named(command.out.base) && catalog_(command.out.base) == nullptr;
      name(command.out.base);
    }
    write(command.out);
  }

  void write(const View& view) {
    write_array(view.base);
    put(static_cast<std::int64_t>(view.dtype) | static_cast<std::int64_t>(view.extents.size()) << 8);
    put(view.offset);
    put(view.extents);
    put(view.strides);
  }

  void write(const protocol::Scalar& scalar) {
    std::int64_t halves[2];
    std::memcpy(halves, scalar.bytes.data(), sizeof halves);
    put(static_cast<std::int64_t>(scalar.dtype) | std::int64_t{1} << 40);
    put(halves[0]);
    put(halves[1]);
  }

  std::int64_t name(ArrayId id) {
    key_.names.push_back(id);
    return key_.numbers.insert_or_assign(id, static_cast<std::int64_t>(key_.names.size())).first->second;
  }

  /// Writes the number of an array, and where it appears first also how it is stored.
  void write_array(ArrayId id) {
    if (const auto found = key_.numbers.find(id); found != key_.numbers.end()) return put(found->second);
    put(name(id));
    const auto* known = catalog_(id);
    if (known == nullptr) {
      key_.is_sound = false;
      return;
    }
    put(static_cast<std::int64_t>(known->dtype) | static_cast<std::int64_t>(known->extents.size()) << 8);
    put(known->extents);
    const auto& layout = known->layout;
    put(layout.grid_size << 1 | static_cast<int>(layout.is_replicated));
    put(layout.first_rank << 1 | static_cast<int>(known->is_chosen));
    for (const auto& axis : layout.axes) {
      for (const auto word : {axis.extent, axis.template_extent, axis.start, axis.step, axis.unit}) put(word);
      put(static_cast<std::int64_t>(axis.parts) << 32 | axis.rank_stride);
      put(static_cast<std::int64_t>(axis.cuts.size()));
      put(axis.cuts);
    }
    put(static_cast<std::int64_t>(layout.pins.size()));
    for (const auto& pin : layout.pins) {
      put(static_cast<std::int64_t>(pin.parts) << 32 | pin.rank_stride);
      put(pin.coordinate);
    }
  }

  Key& key_;
  const Catalog& catalog_;
};

namespace {

std::uint64_t hash_of(const std::vector<std::int64_t>& words) {
  std::uint64_t hash = words.size();
  for (const auto word : words) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) *
           0x9E37'79B9'7F4A'7C15U;  // the golden ratio, as Knuth's multiplicative hash
    hash = std::rotl(hash, 29);
  }
  return hash;
}

/// An estimate of the memory of a rank's messages. The real number differs from rank to rank, but all ranks
/// must keep the same plans.
std::size_t likely_messages(const Plan& plan, int ranks) {
  constexpr std::size_t few = 16;
  std::size_t sum = 0;
  for (const auto& step : plan.steps)
    for (const auto& remote_read : step.remote_reads) {
      const bool is_read_by_many =
          remote_read.readers.is_replicated || std::any_of(remote_read.axes.begin(), remote_read.axes.end(),
                                                           [](const auto& axis) { return axis.reader < 0; });
      sum += is_read_by_many ? static_cast<std::size_t>(ranks) : few;
    }
  return sum;
}

}  // namespace

NamedPlan make_named_plan(const Batch& batch, const Catalog& catalog, const Options& options) {
  NamedPlan made{std::make_shared<const Plan>(make_plan(batch, catalog, options)), {}, nullptr};
  if (options.standpoint)
    made.schedule = std::make_shared<CommunicationSchedule>(
        communication_schedule_of(*made.plan, *options.standpoint, options.ranks));
  return made;
}

std::optional<NamedPlan> PlanCache::find(const Batch& batch, const Catalog& catalog, const Options& options) {
  Writer(key_, catalog).write(batch, options);
  hash_ = hash_of(key_.words);
  if (key_.is_sound)
    if (const auto found = by_hash_.find(hash_);
        found != by_hash_.end() && found->second->key == key_.words) {
      ++hits_;
      entries_.splice(entries_.begin(), entries_, found->second);
      return NamedPlan{found->second->plan, key_.names, found->second->schedule};
    }
  ++misses_;
  return std::nullopt;
}

NamedPlan PlanCache::make(const Batch& batch, const Catalog& catalog, const Options& options) {
  Batch renamed;
  renamed.commands = batch.commands;
  renamed.fetches = batch.fetches;
  renamed.origins = batch.origins;
  renamed.watched = batch.watched;
  const auto number = [&](ArrayId id) { return static_cast<ArrayId>(key_.numbers.at(id)); };
  for (auto& command : renamed.commands) {
    command.out.base = number(command.out.base);
    for (auto& operand : command.in)
      if (auto* view = std::get_if<View>(&operand)) view->base = number(view->base);
  }
  for (auto& view : renamed.fetches) view.base = number(view.base);
  for (const auto id : batch.frees)
    if (key_.numbers.contains(id)) renamed.frees.push_back(number(id));
  const auto& names = key_.names;
  auto made = make_named_plan(
      renamed, [&](ArrayId id) { return id >> 63 || id > names.size() ? nullptr : catalog(names[id - 1]); },
      options);
  made.names = key_.names;
  Entry entry{hash_, key_.words, made.plan, made.schedule,
              key_.words.size() + std::min(likely_messages(*made.plan, options.ranks), limit_ / 4)};
  if (key_.is_sound && key_.words.size() <= limit_ / 4) {
    if (const auto old = by_hash_.find(hash_); old != by_hash_.end()) remove(old->second);
    make_room(entry.size);
    size_ += entry.size;
    entries_.push_front(std::move(entry));
    by_hash_[hash_] = entries_.begin();
  }
  return made;
}

void PlanCache::remove(Entries::iterator entry) {
  size_ -= entry->size;
  by_hash_.erase(entry->hash);
  entries_.erase(entry);
}

void PlanCache::make_room(std::size_t words) {
  while (size_ + words > limit_) remove(std::prev(entries_.end()));
}

}  // namespace gamelan::engine::plan
