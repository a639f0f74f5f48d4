// SPDX-License-Identifier: BSD-3-Clause
// put where few ranks share the memory of one node: every rank reads the whole index, in order, and writes
// what is its own. Of equal indices the last one wins, at any number of ranks. To read an index that belongs
// to somebody else takes less time than to sort it (run_put.cpp), which writes and reads a pair for each.
#include <memory>

#include "engine/steps/irregular/addends.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/item.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t most_added = 1024;  // at once: they stay in the first-level cache
constexpr std::int64_t writes_ahead = 32;  // more than the misses that a core can have under way
// The processor's own prefetching stops at the end of a page, and the heap has small pages.
constexpr std::int64_t index_ahead = 512, line_elements = 8;

/// Which indices are those of a rank. One out of range, which the kernel never sends, is nobody's.
class Own {
 public:
  Own(std::int64_t extent, const distribution::Interval& mine)
      : extent_(extent), begin_(mine.first), size_(static_cast<std::uint64_t>(mine.size())) {}
  /// From the rank's first element.
  std::int64_t position(std::int64_t index) const { return index + (index >> 63 & extent_) - begin_; }
  bool has(std::int64_t position) const { return static_cast<std::uint64_t>(position) < size_; }

 private:
  std::int64_t extent_, begin_;
  std::uint64_t size_;
};

class OwnWriter {
 public:
  OwnWriter(const StepContext& context, const plan::PutOwn& put, const distribution::Interval& mine)
      : context_(context),
        put_(put),
        mine_(mine),
        extent_(put.target.placement.iterations.axes[0].extent),
        index_(context, put.index, put.index_dtype, protocol::Dtype::int64) {
    protocol::Shape first(put.target.placement.iterations.axes.size(), 0);
    first[0] = mine.first;
    const auto piece = distribution::locate(put.target.placement, first, context.rank());
    to_ = context.address(put.target, piece);
    stride_ = piece.strides[0];
  }

  template <class Value>
  void run() {
    if (put_.number) {
      const auto value = *reinterpret_cast<const Value*>(put_.number->bytes.data());
      return run<Value>(
          [value](std::int64_t, std::int64_t) { return [value](std::int64_t) { return value; }; });
    }
    Stream values(context_, put_.values, put_.dtype, put_.dtype);
    run<Value>([&values](std::int64_t at, std::int64_t count) {
      return [value = values.read_as<Value>(at, count)](std::int64_t i) { return value[i]; };
    });
  }

 private:
  template <class Value, class ValuesAt>
  void run(ValuesAt values_at) {
    if (put_.op && stride_ == sizeof(Value)) {
      const bool is_added = with_addend(*put_.op, put_.dtype, [&]<class Number>(Number) {
        constexpr bool is_whole = sizeof(Number) == sizeof(Value);
        if constexpr (is_whole) add<Number>(values_at);
        return is_whole;
      });
      if (is_added) return;
    }
    if (!put_.op && is_worth_a_table<Value>()) return write_to_table<Value>(values_at);
    const tiles::Loop loop = put_.op ? tiles::find_loop(*put_.op, put_.dtype) : nullptr;
    for (std::int64_t at = 0; at < put_.count; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, put_.count - at);
      const auto value = values_at(at, count);
      const auto own = find_own(index_.read_as<std::int64_t>(at, count), count);
      if (loop != nullptr)
        update(loop, value, own);
      else
        write<Value>(value, own);
    }
  }

  /// Without a branch, too: whose an index is, no processor can foresee.
  template <class Number, class ValuesAt>
  void add(ValuesAt values_at) {
    auto* to = reinterpret_cast<Number*>(to_);
    const Own own_part(extent_, mine_);
    std::int64_t positions[most_added];  // of this rank's, from its first element
    Number numbers[most_added];
    for (std::int64_t at = 0; at < put_.count; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, put_.count - at);
      const auto value = values_at(at, count);
      const auto* index = index_.read_as<std::int64_t>(at, count);
      if (mine_.size() == extent_) {
        for (std::int64_t i = 0; i < count; ++i)
          if (const auto position = own_part.position(index[i]); own_part.has(position))
            to[position] += as_number<Number>(value(i));
        continue;
      }
      for (std::int64_t i = 0; i < count;) {
        std::int64_t own = 0;
        for (const auto stop = std::min(i + most_added, count); i < stop; ++i) {
          positions[own] = own_part.position(index[i]);
          numbers[own] = as_number<Number>(value(i));
          own += static_cast<std::int64_t>(own_part.has(positions[own]));
        }
        for (std::int64_t k = 0; k < own; ++k) to[positions[k]] += numbers[k];
      }
    }
  }

  /// A small target is written whole, to a table of this rank, which then keeps its own part: whose an index
  /// is need not be asked.
  template <class Value>
  bool is_worth_a_table() const {
    constexpr std::int64_t most_bytes = 65'536, fewest_uses = 4;
    return extent_ * static_cast<std::int64_t>(sizeof(Value)) <= most_bytes &&
           put_.count >= fewest_uses * extent_;
  }
  template <class Value, class ValuesAt>
  void write_to_table(ValuesAt values_at) {
    const auto table = std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(extent_));
    const auto own = [&](std::int64_t k) { return reinterpret_cast<Value*>(to_ + k * stride_); };
    for (std::int64_t k = 0; k < mine_.size(); ++k) table[mine_.first + k] = *own(k);
    const Own whole(extent_, {0, extent_});
    for (std::int64_t at = 0; at < put_.count; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, put_.count - at);
      const auto value = values_at(at, count);
      const auto* index = index_.read_as<std::int64_t>(at, count);
      for (std::int64_t i = 0; i < count; ++i)
        if (const auto position = whole.position(index[i]); whole.has(position)) table[position] = value(i);
    }
    for (std::int64_t k = 0; k < mine_.size(); ++k) *own(k) = table[mine_.first + k];
  }

  /// Lists what goes to this rank, without a branch: whose an index is, no processor can foresee.
  std::int64_t find_own(const std::int64_t* index, std::int64_t count) {
    const Own own_part(extent_, mine_);
    std::int64_t own = 0;
    const auto look = [&](std::int64_t i) {
      const auto position = own_part.position(index[i]);
      position_[own] = position;
      place_[own] = static_cast<std::int32_t>(i);
      own += static_cast<std::int64_t>(own_part.has(position));
    };
    std::int64_t i = 0;
    while (i + line_elements <= count) {
      __builtin_prefetch(index + i + index_ahead);
      for (const auto stop = i + line_elements; i < stop; ++i) look(i);
    }
    for (; i < count; ++i) look(i);
    return own;
  }

  std::byte* at(std::int64_t k) const { return to_ + position_[k] * stride_; }

  template <class Value, class ValueOf>
  void write(ValueOf value_of, std::int64_t own) {
    const auto store = [&](std::int64_t k) { *reinterpret_cast<Value*>(at(k)) = value_of(place_[k]); };
    std::int64_t k = 0;
    for (; k + writes_ahead < own; ++k) {
      __builtin_prefetch(at(k + writes_ahead), 1);
      store(k);
    }
    for (; k < own; ++k) store(k);
  }

  template <class ValueOf>
  void update(tiles::Loop loop, ValueOf value_of, std::int64_t own) {
    for (std::int64_t k = 0; k < own; ++k) {
      const auto value = value_of(place_[k]);
      const void* operands[] = {at(k), &value};
      loop(operands, at(k), 1, nullptr);
    }
  }

  const StepContext& context_;
  const plan::PutOwn& put_;
  distribution::Interval mine_;
  std::int64_t extent_, stride_ = 0;
  std::byte* to_ = nullptr;  // the first element of this rank
  Stream index_;
  std::int64_t position_[Stream::chunk];  // from this rank's first element
  std::int32_t place_[Stream::chunk];     // in the chunk
};

}  // namespace

void run(const StepContext& context, const plan::PutOwn& put) {
  const auto& layout = put.target.placement.iterations;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (is_empty(mine)) return;
  OwnWriter writer(context, put, mine[0]);
  with_item(protocol::size_of(put.dtype), [&](auto item) { writer.run<decltype(item)>(); });
}

}  // namespace gamelan::engine::steps
