// SPDX-License-Identifier: BSD-3-Clause
// argsort of int64 keys, stable. Each rank deals its keys by their leading bits into buckets of about a
// cache's size; whole buckets go to ranks so that each has an even share (sample sort with an exact sample),
// read in place out of the ranks' windows; a bucket is then sorted in cache by least-significant digits. A
// key and its position share one 64-bit word where they fit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"

namespace gamelan::bench {

namespace {

constexpr std::int64_t bucket_elements = 8192;
constexpr int most_bucket_bits = 11, digit_bits = 8, digits = 1 << digit_bits;

int width(std::uint64_t value) { return 64 - std::countl_zero(value); }

/// Key above, position below, in one word.
struct Packed {
  std::uint64_t bits;
  static Packed make(std::uint64_t key, std::uint64_t position, int position_bits) {
    return {key << position_bits | position};
  }
  std::uint64_t key(int position_bits) const { return bits >> position_bits; }
  std::int64_t position(int position_bits) const {
    return static_cast<std::int64_t>(bits & ((std::uint64_t{1} << position_bits) - 1));
  }
};

struct Wide {
  std::uint64_t bits, at;
  static Wide make(std::uint64_t key, std::uint64_t position, int) { return {key, position}; }
  std::uint64_t key(int) const { return bits; }
  std::int64_t position(int) const { return static_cast<std::int64_t>(at); }
};

class Argsort : public Case {
 public:
  Argsort(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 4'000'000)),
        mine_(world.line_block(n_)),
        keys_(Array<std::int64_t>::local(mine_.count())),
        order_(Array<std::int64_t>::shared(world, mine_.count())),
        dealt_(Array<Wide>::shared(world, mine_.count())),
        counts_(Array<std::int64_t>::shared(world, std::int64_t{1} << most_bucket_bits)) {
    for (std::int64_t k = 0; k < mine_.count(); ++k) {
      keys_[k] = static_cast<std::int64_t>(std::floor(uniform(0, mine_.first + k) * 0x1p40));
      order_[mine_.first + k] = 0;
      dealt_[mine_.first + k] = {};
    }
  }

  void run() override {
    // Least key, and the complement of the greatest, by one reduction.
    std::int64_t ends[2] = {INT64_MAX, INT64_MAX};
    for (std::int64_t k = 0; k < mine_.count(); ++k) {
      ends[0] = std::min(ends[0], keys_[k]);
      ends[1] = std::min(ends[1], ~keys_[k]);
    }
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    least_ = static_cast<std::uint64_t>(ends[0]);
    const int key_bits = width(static_cast<std::uint64_t>(~ends[1]) - least_);
    position_bits_ = width(static_cast<std::uint64_t>(n_ - 1));
    const int wanted_bits = width(static_cast<std::uint64_t>(n_ / bucket_elements));
    const int bucket_bits = std::min({wanted_bits, key_bits, most_bucket_bits});
    buckets_ = std::size_t{1} << bucket_bits;
    rest_bits_ = key_bits - bucket_bits;
    key_bits + position_bits_ <= 64 ? sort<Packed>() : sort<Wide>();
  }

  std::vector<double> result() override {
    std::vector<double> numbers(1);
    for (std::int64_t k = mine_.first; k < mine_.last; ++k)
      numbers[0] += static_cast<double>(order_[k] * (k % 1024));
    world_.sum(numbers);
    const auto at = [&](std::int64_t k) { return static_cast<double>(order_[k]); };
    return {numbers[0], at(0), at(n_ / 2), at(n_ - 1)};
  }

 private:
  template <typename Element>
  struct Piece {
    const Element* data;
    std::int64_t count;
  };

  const std::int64_t* counts_of(int rank) const {
    return counts_.data() + (std::int64_t{rank} << most_bucket_bits);
  }

  template <typename Element>
  void sort() {
    deal<Element>();
    world_.barrier();
    // Of each rank, where the next bucket begins in its dealt elements.
    std::vector<const Element*> next;
    for (int rank = 0; rank < world_.size(); ++rank) {
      next.push_back(reinterpret_cast<const Element*>(dealt_.data() + world_.block(n_, rank, 8).first));
    }
    std::vector<Piece<Element>> pieces(next.size());
    std::int64_t start = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      std::int64_t count = 0;
      for (std::size_t rank = 0; rank < next.size(); ++rank) {
        pieces[rank] = {next[rank], counts_of(static_cast<int>(rank))[bucket]};
        next[rank] += pieces[rank].count;
        count += pieces[rank].count;
      }
      // The rank in whose share of the result the bucket begins.
      if (start * world_.size() / n_ == world_.rank()) sort_bucket(pieces, count, order_.data() + start);
      start += count;
    }
    world_.barrier();
  }

  /// This rank's keys into buckets, stably, with their numbers in counts_.
  template <typename Element>
  void deal() {
    std::int64_t* counts = counts_.data() + (std::int64_t{world_.rank()} << most_bucket_bits);
    std::fill_n(counts, buckets_, 0);
    const auto key = [&](std::int64_t k) { return static_cast<std::uint64_t>(keys_[k]) - least_; };
    for (std::int64_t k = 0; k < mine_.count(); ++k) ++counts[key(k) >> rest_bits_];
    std::vector<Element*> next(buckets_);
    auto* start = reinterpret_cast<Element*>(dealt_.data() + mine_.first);
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      next[bucket] = start;
      start += counts[bucket];
    }
    for (std::int64_t k = 0; k < mine_.count(); ++k) {
      *next[key(k) >> rest_bits_]++ =
          Element::make(key(k), static_cast<std::uint64_t>(mine_.first + k), position_bits_);
    }
  }

  /// Sorts the pieces, in order, by the bits below the bucket's and writes the positions to `out`. The first
  /// pass reads the pieces where they lie, the last writes positions only.
  template <typename Element>
  void sort_bucket(const std::vector<Piece<Element>>& pieces, std::int64_t count, std::int64_t* out) {
    if (count == 0) return;
    const int passes = std::max(1, (rest_bits_ + digit_bits - 1) / digit_bits);
    const auto digit = [&](const Element& each, int pass) {
      return each.key(position_bits_) >> (pass * digit_bits) & (digits - 1);
    };
    std::int64_t next[8][digits] = {};
    for (const Piece<Element>& piece : pieces) {
      for (std::int64_t k = 0; k < piece.count; ++k) {
        for (int pass = 0; pass < passes; ++pass) ++next[pass][digit(piece.data[k], pass)];
      }
    }
    for (int pass = 0; pass < passes; ++pass) {
      std::int64_t start = 0;
      for (std::int64_t& each : next[pass]) start += std::exchange(each, start);
    }
    const auto bytes = static_cast<std::size_t>(count) * sizeof(Element);
    for (auto& each : scratch_) each.resize(std::max(each.size(), (bytes + 7) / 8));
    std::vector<Piece<Element>> from = pieces;
    for (int pass = 0; pass < passes; ++pass) {
      auto* to = reinterpret_cast<Element*>(scratch_[pass % 2].data());
      const bool is_last = pass == passes - 1;
      for (const Piece<Element>& piece : from) {
        for (std::int64_t k = 0; k < piece.count; ++k) {
          const std::int64_t place = next[pass][digit(piece.data[k], pass)]++;
          if (is_last) {
            out[place] = piece.data[k].position(position_bits_);
          } else {
            to[place] = piece.data[k];
          }
        }
      }
      from = {{to, count}};
    }
  }

  const World& world_;
  std::int64_t n_;
  Block mine_;
  Array<std::int64_t> keys_, order_;
  Array<Wide> dealt_;
  Array<std::int64_t> counts_;  // most_bucket_bits a rank
  std::uint64_t least_ = 0;
  int position_bits_ = 0, rest_bits_ = 0;
  std::size_t buckets_ = 1;
  std::vector<std::uint64_t> scratch_[2];
};

}  // namespace

Made make_argsort(const World& world, const Parameters& parameters) {
  return std::make_unique<Argsort>(world, parameters);
}

}  // namespace gamelan::bench
