// SPDX-License-Identifier: BSD-3-Clause
// Which bytes of a lane hold elements that are lent to the ranks (protocol/check.hpp): a ring, whose
// oldest bytes come back when the reply to their request has come. Pure arithmetic; one thread at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace gamelan::kernel {

class LentSpace {
 public:
  explicit LentSpace(std::size_t bytes) : bytes_(bytes) {}

  /// Room for so many bytes in one piece, lent with request `seq`, which no later request precedes. Where it
  /// begins, aligned as lent elements must be; nullopt when there is none. When all has come back, it begins
  /// at 0: so memory that was written before is written again.
  std::optional<std::size_t> take(std::uint64_t seq, std::size_t bytes);
  /// All that was lent with this request has come back.
  void release(std::uint64_t seq);

 private:
  struct Lent {
    std::uint64_t seq;
    std::size_t begin, end;
    bool is_back = false;
  };
  std::size_t bytes_;
  std::deque<Lent> lent_;  // in the order of the requests
};

}  // namespace gamelan::kernel
