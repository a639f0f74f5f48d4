// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_alike.hpp"

#include <algorithm>
#include <cstring>

namespace gamelan::engine::tiles {
namespace {

bool is_alike(const Instruction& left, const Instruction& right) {
  return left.kind == right.kind && left.op == right.op && left.loop == right.loop && left.out == right.out &&
         left.in == right.in && left.operand == right.operand && left.scalar == right.scalar &&
         left.scalar_b == right.scalar_b && left.ints == right.ints && left.streams == right.streams;
}

/// FNV-1a over numbers.
class Hash {
 public:
  void add(std::uint64_t number) { value_ = (value_ ^ number) * 0x100000001b3; }
  void add(const protocol::Scalar& scalar) {
    static_assert(sizeof scalar.bytes % sizeof(std::uint64_t) == 0);
    add(static_cast<std::uint64_t>(scalar.dtype));
    for (std::size_t at = 0; at < sizeof scalar.bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, scalar.bytes.data() + at, sizeof word);
      add(word);
    }
  }
  std::uint64_t value() const { return value_ ^ value_ >> 32; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

bool are_alike(const Program& left, const Program& right) {
  return left.registers == right.registers && left.operands == right.operands &&
         std::equal(left.code.begin(), left.code.end(), right.code.begin(), right.code.end(), is_alike);
}

std::uint64_t hash_of(const Program& program) {  // (registers follow from the code)
  Hash hash;
  for (const Instruction& each : program.code) {
    for (const auto number : {static_cast<int>(each.kind), static_cast<int>(each.op),
                              static_cast<int>(each.loop), each.out, each.operand, int{each.streams}})
      hash.add(static_cast<std::uint64_t>(number));
    for (const int number : each.in) hash.add(static_cast<std::uint64_t>(number));
    for (const auto number : each.ints) hash.add(static_cast<std::uint64_t>(number));
    hash.add(each.scalar);
    hash.add(each.scalar_b);
  }
  for (const auto dtype : program.operands) hash.add(static_cast<std::uint64_t>(dtype));
  return hash.value();
}

std::shared_ptr<Translation> KnownTranslations::find(const Program& program,
                                                     const std::function<bool(const Translation&)>& suits,
                                                     const Make& make) {
  const auto hash = hash_of(program);
  const auto [first, last] = known_.equal_range(hash);
  for (auto each = first; each != last; ++each)
    if (auto found = each->second.translation.lock();
        found != nullptr && suits(*found) && are_alike(each->second.program, program))
      return found;
  if (known_.size() >= drop_at_) drop_dead();
  auto made = make();
  known_.emplace(hash, Known{{program.code, program.registers, program.operands}, made});
  return made;
}

void KnownTranslations::drop_dead() {
  std::erase_if(known_, [](const auto& each) { return each.second.translation.expired(); });
  drop_at_ = std::max<std::size_t>(64, 2 * known_.size());
}

}  // namespace gamelan::engine::tiles
