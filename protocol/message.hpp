// SPDX-License-Identifier: BSD-3-Clause
// What the kernel and the engines send each other, as plain structs. The codec turns them into frames; this
// file does not use sockets. Every request gets exactly one reply, with the same sequence number.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/ops.hpp"
#include "protocol/view.hpp"

namespace gamelan::protocol {

inline constexpr int protocol_version = 9;
using Bytes = std::vector<std::byte>;
/// Names and values.
using NamedOptions = std::vector<std::pair<std::string, std::string>>;

/// One number in the first size_of(dtype) bytes, in native byte order.
struct Scalar {
  Dtype dtype = Dtype::float64;
  alignas(16) std::array<std::byte, 16> bytes{};  ///< aligned, because loops read it as a number
  bool operator==(const Scalar&) const = default;
};
using Operand = std::variant<View, Scalar>;

/// One recorded operation. Operands of element-wise ops are already broadcast: their extents equal
/// out.extents, with stride 0 where they are broadcast. Every operand is cast to `loop` when it is read (the
/// condition of `where` to bool).
struct Command {
  Op op{};
  Dtype loop = Dtype::float64;  ///< dtype in which the op computes, decided by NumPy in the kernel
  View out;                     ///< what is written; cast from the op's result dtype to out.dtype
  bool creates = false;         ///< out.base is a new array: out is the whole of it, contiguous, offset 0
  std::vector<Operand> in;
  std::vector<std::int64_t> ints;  ///< parameters, as the row's doc says (axes, keys, ...)
  std::int32_t payload = -1;  ///< frame of Batch::payloads that carries data (`constant`) or a path, -1 none
  std::uint32_t origin = 0;   ///< index in Batch::origins: where the user wrote it
  bool operator==(const Command&) const = default;
};

/// NumPy's kinds of floating-point errors, as bits with NumPy's values.
enum FloatErrorKind : std::uint8_t { float_divide = 1, float_over = 2, float_under = 4, float_invalid = 8 };
inline constexpr unsigned all_float_errors = 15;
/// The kinds of errors that a command of a batch has met. When several commands are possible, `first` and
/// `last` are the earliest and the latest of them; otherwise they are equal.
struct FloatErrors {
  std::uint8_t kinds = 0;
  std::int32_t first = 0, last = 0;
  bool operator==(const FloatErrors&) const = default;
};
/// A rank tells no more of a batch, those of its first commands: a program has few lines, and the others say
/// the same again.
inline constexpr std::size_t most_float_errors = 64;

/// A line of the user's program.
struct Origin {
  std::string file;  ///< file name or cell name as Python's traceback shows it
  std::int32_t line = 0;
  bool operator==(const Origin&) const = default;
};

/// The first request on a connection: the version, and the fingerprint of the client's tables.
struct Hello {
  std::uint64_t seq = 0;
  int version = protocol_version;
  std::uint64_t fingerprint = 0;
  std::string client;
};
/// Commands in program order, then the ids of arrays that have no name any more, then the views whose
/// elements are to be sent back.
struct Batch {
  std::uint64_t seq = 0;
  std::vector<Command> commands;
  std::vector<ArrayId> frees;
  std::vector<View> fetches;
  std::vector<Origin> origins;
  std::vector<Bytes> payloads;
  bool explain = false;  ///< plan only: reply with the plan's text, change nothing
  std::uint64_t heard =
      0;  ///< the client has every reply up to this number; rank 0 need not keep them any more
  std::uint8_t watched = 0;  ///< kinds of floating-point errors that the reply is to tell
  /// When a batch has failed or was cut, rank 0 cancels those of the same client and epoch that come after
  /// it: they belong to lines that the program has not reached. 0: the batch is in no epoch.
  std::uint64_t epoch = 0;
  NamedOptions options;  ///< for this batch alone ("keep_unread" = "1"; "disable_passes" = "fuse,simplify")
  /// Who gets the new arrays, and lets go of those in `frees`: a number that a client draws, and keeps across
  /// its connections. 0: nobody.
  std::uint64_t holder = 0;
};
struct Heartbeat {
  std::uint64_t seq = 0, heard = 0;
};  ///< "I am here"; answered at once by rank 0 alone; `heard` as in Batch
struct StatusRequest {
  std::uint64_t seq = 0;
};  ///< asks for the counters of all ranks: takes seconds at worst
struct Cancel {
  std::uint64_t seq = 0;
  std::uint64_t batch = 0;
};  ///< stops the batch with that seq; 0: whichever batch runs
/// Does on every rank what named options say that are for all clients ("reset_stats" = ""), and checks those
/// that travel with batches.
struct Configure {
  std::uint64_t seq = 0;
  NamedOptions options;
};
/// Who holds arrays, and under which names. In order with the batches of all clients.
struct Holding {
  enum class Ask : std::uint8_t {
    list,       ///< the reply's info says who holds how much
    introduce,  ///< `about` says who `holder` is, `array` for how many seconds it waits for silent engines
    leave,      ///< `holder` lets go of all its arrays: it ends, or rank 0 has not heard of it for too long
    clear,      ///< the same, and what it has published goes, too: it will compute its arrays again
    publish,    ///< `array` gets a name, and lives as long as that; `about` is for who attaches it
    attach,     ///< `holder` holds the array of that name, too; the reply's info has what `publish` said
    unpublish,  ///< the name goes
    mark,       ///< this moment gets the number `array`, for who will inherit
    inherit,    ///< `holder` gets what holder `array` had (`about` "ended": surely so); the reply names the
                ///< arrays that nobody has written to since the moment `name`, and the others
    rejoin  ///< `holder` was gone, and will compute its arrays again, except those that others still hold:
            ///< the reply's info names these
  };
  std::uint64_t seq = 0;
  Ask ask = Ask::list;
  std::uint64_t holder = 0;
  ArrayId array = 0;
  std::string name, about;
};
/// Asks the engines to end.
struct Shutdown {
  std::uint64_t seq = 0;
};
using Request = std::variant<Hello, Batch, Heartbeat, StatusRequest, Cancel, Configure, Holding, Shutdown>;

enum class Outcome : std::uint8_t { ok, failed, cancelled };
/// The answer to one request. `info` is JSON text: for Hello, Heartbeat, StatusRequest and Holding it
/// describes the engines, for a Batch it has the explanation of the plan and what was cut.
struct Reply {
  std::uint64_t seq = 0;
  Outcome outcome = Outcome::ok;
  ErrorKind error = ErrorKind::internal;  ///< meaningful when failed
  std::string message;
  std::int64_t command = -1;  ///< command at fault, -1 none; with cancelled: first command not run
  Origin origin;              ///< of that command
  std::string info = "{}";
  std::vector<FloatErrors>
      float_errors;             ///< of a batch, some hundred at most: watched kinds, each command once
  std::vector<Bytes> payloads;  ///< one per fetch, C order, native byte order
};

/// True for an option that travels with batches.
bool is_of_batches(std::string_view option);

/// A reply to request `seq` that reports an error.
Reply failed_reply(std::uint64_t seq, ErrorKind kind, std::string message);

std::uint64_t sequence(const Request& request);
/// Up to which sequence number the sender of this request has got its replies; 0 when the request does not
/// say.
std::uint64_t heard(const Request& request);

}  // namespace gamelan::protocol
