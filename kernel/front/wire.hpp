// SPDX-License-Identifier: BSD-3-Clause
// The wire format of Jupyter messages: which frames a message has, and how they are signed. xeus has the same
// code, but not at one place: 2.4 exports it, later releases moved it to another library (xeus-zmq) that
// keeps it to itself. So every xeus needs nothing but its dispatch from us. No sockets, no threads.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <xeus/xmessage.hpp>
#include <zmq_addon.hpp>

namespace gamelan::kernel {

/// Signs with the key of a connection file. Immutable: usable from any thread.
class Signer {
 public:
  using Parts = std::initializer_list<std::string_view>;

  /// `scheme` is hmac-sha256, hmac-sha512 or none; an empty key signs nothing either. Throws
  /// std::runtime_error for another scheme.
  Signer(const std::string& scheme, std::string key);
  /// The signature of header, parent header, metadata and content, in hexadecimal; empty when nothing is
  /// signed.
  std::string sign(Parts parts) const;
  /// Whether `signature` is that of these parts; takes the same time wherever they differ.
  bool is_signature(std::string_view signature, Parts parts) const;

 private:
  enum class Scheme { none, sha256, sha512 };

  Scheme scheme_ = Scheme::none;
  std::string key_;
};

/// Says where the identities of a message end and its parts begin.
inline constexpr std::string_view delimiter = "<IDS|MSG>";

/// What goes through a socket for a message. Text that is no UTF-8 is replaced.
zmq::multipart_t frames_of(const xeus::xmessage& message, const Signer& signer);
zmq::multipart_t frames_of(const xeus::xpub_message& message, const Signer& signer);

/// The message in `frames`. Throws std::exception, with the reason, for what is no message of Jupyter's, or
/// not signed with our key.
xeus::xmessage message_of(const zmq::multipart_t& frames, const Signer& signer);

}  // namespace gamelan::kernel
