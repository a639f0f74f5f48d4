// SPDX-License-Identifier: BSD-3-Clause
// Where in a row of flags a true one of a given number stands, and how many stand before a position. The
// counts of CountFlags say it for runs of flags; inside a run the flags are read.
#pragma once
#include "engine/steps/irregular/stream.hpp"

namespace gamelan::engine::steps {

class FlagCounts {
 public:
  /// `counts` are those of the row of `flags`. Both, and the context, outlive this.
  FlagCounts(const StepContext& context, const plan::Operand& counts, const plan::Operand& flags);

  /// How many flags before `position` are true.
  std::int64_t before(std::int64_t position);
  /// A position before which exactly `number` flags are true; the length of the row where there are fewer.
  std::int64_t position_after(std::int64_t number);

 private:
  Stream counts_, flags_;
  std::int64_t length_;  // of the row of flags
};

/// How many of `count` flags are true.
std::int64_t count_true(const unsigned char* flags, std::int64_t count);

}  // namespace gamelan::engine::steps
