// SPDX-License-Identifier: BSD-3-Clause
// A look at a few elements of arrays that are still pending: `print((v + w)[:5])` needs five sums. These are
// computed at once from what is in the engines' memory already; what is pending stays pending, and arrays
// that die before it is sent are never computed. Pure data; it uses neither Python nor sockets.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

struct PartialLook {
  /// A part of an array that is not pending. `around`: the bytes of it that the pending command reads.
  struct Read {
    protocol::View part;
    protocol::ByteRange around;
  };
  std::vector<protocol::Command> commands;  ///< each creates one small array
  std::vector<protocol::ArrayId> made;      ///< these arrays
  std::vector<protocol::View> fetches;      ///< of them, and of arrays that are not pending, by view
  std::vector<protocol::View> looked_at;    ///< the parts of large pending arrays that lead to the views
  std::vector<Read> reads;                  ///< what `commands` read of such arrays
  unsigned watched = 0;                     ///< kinds of floating-point errors that the reply is to tell
};

/// What a look may use.
struct LookRules {
  std::function<protocol::ArrayId()> new_id;  ///< the number of a new array
  /// True for an array whose elements are what the program has made of them, and will be when all is
  /// computed: not for one that another client may write to, nor for one that was never computed.
  std::function<bool(protocol::ArrayId)> may_read;
};

/// The commands that compute these views alone, of a pending batch. Nothing when no large pending array leads
/// to them of which they need few elements, when other operations than element-wise ones do, when the batch
/// changes an array on the way in place, or when a long chain of commands leads to them.
std::optional<PartialLook> partial_look(const protocol::Batch& pending,
                                        const std::vector<protocol::View>& views, const LookRules& rules);

}  // namespace gamelan::kernel
