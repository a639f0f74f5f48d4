// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/instructions.hpp"

#include <bit>
#include <string>

#include "protocol/error.hpp"

namespace gamelan::engine::jit {

Instructions::Instructions(const Registers& registers, int lanes, std::span<std::byte> room)
    : CodeGenerator(room.size(), room.data()), lanes_(lanes), vector_bytes_(registers.vector_bytes) {}

Xbyak::Xmm Instructions::vector(int number, Dtype dtype) const {
  const auto bytes = static_cast<std::size_t>(lanes_) * protocol::size_of(dtype);
  return {bytes == 64   ? Xbyak::Operand::ZMM
          : bytes == 32 ? Xbyak::Operand::YMM
                        : Xbyak::Operand::XMM,
          number};
}

void Instructions::refuse(Op op) {
  throw protocol::Error(protocol::ErrorKind::internal,
                        "[jit] no instructions for " + std::string(protocol::info(op).name));
}

std::uint64_t Instructions::sign_bit(Dtype dtype) {
  return std::uint64_t{1} << (8 * protocol::size_of(dtype) - 1);
}
std::uint64_t Instructions::one(Dtype dtype) {
  if (dtype == Dtype::float64) return std::bit_cast<std::uint64_t>(1.0);
  if (dtype == Dtype::float32) return std::bit_cast<std::uint32_t>(1.0F);
  return 1;
}
std::uint64_t Instructions::infinity(Dtype dtype) {
  return dtype == Dtype::float64 ? 0x7ff0000000000000U : 0x7f800000U;
}

std::uint8_t Instructions::predicate(Op op) {
  switch (op) {
    case Op::equal:
      return 0x00;
    case Op::isnan:
      return unordered;  // x with itself
    case Op::not_equal:
      return 0x04;
    case Op::less:
      return less;
    case Op::less_equal:
      return 0x12;
    case Op::greater_equal:
      return 0x1d;
    case Op::greater:
      return 0x1e;
    default:
      refuse(op);
  }
}

std::uint8_t Instructions::rounding(Op op) {
  switch (op) {
    case Op::rint:
      return 0x8;
    case Op::floor:
      return 0x9;
    case Op::ceil:
      return 0xa;
    case Op::trunc:
      return 0xb;
    default:
      refuse(op);
  }
}

const Xbyak::Label& Instructions::constant(std::uint64_t bits, Dtype dtype) {
  return constants_[{bits, static_cast<int>(protocol::size_of(dtype))}];
}

void Instructions::emit_constants() {
  emit_unusual();
  for (auto& [key, label] : constants_) {
    align(64);
    L(label);
    for (int k = 0; k < vector_bytes_ / key.second; ++k) db(key.first, static_cast<std::size_t>(key.second));
  }
  emit_tables();
}

void Instructions::save(const Address& slot, const Xmm& value) { vmovapd(ptr[slot], value); }
void Instructions::restore(const Xmm& out, const Address& slot) { vmovapd(out, ptr[slot]); }
void Instructions::move(const Xmm& out, const Xmm& x) { vmovapd(out, x); }

}  // namespace gamelan::engine::jit
