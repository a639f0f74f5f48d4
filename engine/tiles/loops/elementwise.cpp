// SPDX-License-Identifier: BSD-3-Clause
// Looks a loop up in the level in use, then in those below (loops that gain nothing from wider vectors exist
// only there). Also the result rule of the op table, which needs no typed code.
#include "engine/tiles/loops/elementwise.hpp"

#include "engine/tiles/loops/elementwise_tables.hpp"
#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::tiles {

using protocol::Dtype;
using protocol::Op;
using protocol::Result;

Loop find_loop(Op op, Dtype loop, Single single) {
  const auto find_in = [&](auto small_integers, auto large_integers, auto reals, auto complexes) -> Loop {
    switch (loop) {
      case Dtype::bool_:
      case Dtype::int8:
      case Dtype::uint8:
      case Dtype::int16:
      case Dtype::uint16:
        return small_integers(op, loop, single);
      case Dtype::int32:
      case Dtype::uint32:
      case Dtype::int64:
      case Dtype::uint64:
        return large_integers(op, loop, single);
      case Dtype::float16:
      case Dtype::float32:
      case Dtype::float64:
        return reals(op, loop, single);
      case Dtype::complex64:
      case Dtype::complex128:
        return complexes(op, loop, single);
    }
    return nullptr;
  };
  Loop found = nullptr;
  if (isa() >= Isa::avx512) {
    found = find_in(avx2::loops_of_small_integers, avx512::loops_of_large_integers, avx512::loops_of_reals,
                    avx2::loops_of_complexes);
  }
  if (found == nullptr && isa() >= Isa::avx2) {
    found = find_in(avx2::loops_of_small_integers, avx2::loops_of_large_integers, avx2::loops_of_reals,
                    avx2::loops_of_complexes);
  }
  if (found == nullptr) {
    found = find_in(baseline::loops_of_small_integers, baseline::loops_of_large_integers,
                    baseline::loops_of_reals, baseline::loops_of_complexes);
  }
  return found;
}

Loop find_pair_loop(const Pair& pair, Dtype loop, unsigned singles) {
  switch (isa()) {
    case Isa::baseline:
      return baseline::find_pair(pair, loop, singles);
    case Isa::avx2:
      return avx2::find_pair(pair, loop, singles);
    case Isa::avx512:
      return avx512::find_pair(pair, loop, singles);
  }
  return nullptr;
}

Dtype result_dtype(Op op, Dtype loop) {
  switch (protocol::info(op).result) {
    case Result::same:
      return loop;
    case Result::boolean:
      return Dtype::bool_;
    case Result::real_of:
      if (loop == Dtype::complex64) return Dtype::float32;
      return loop == Dtype::complex128 ? Dtype::float64 : loop;
  }
  return loop;
}

Cast find_cast(Dtype from, Dtype to) {
  return isa() >= Isa::avx2 ? avx2::cast_loop(from, to) : baseline::cast_loop(from, to);
}

}  // namespace gamelan::engine::tiles
