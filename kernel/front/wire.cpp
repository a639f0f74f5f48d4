// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/wire.hpp"

#include <sodium.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace gamelan::kernel {
namespace {

/// One of libsodium's keyed hashes, which are alike but for their names.
template <class State, std::size_t hash_bytes>
std::string hash_in_hex(const std::string& key, Signer::Parts parts,
                        int (*init)(State*, const unsigned char*, std::size_t),
                        int (*update)(State*, const unsigned char*, unsigned long long),
                        int (*final)(State*, unsigned char*)) {
  State state;
  init(&state, reinterpret_cast<const unsigned char*>(key.data()), key.size());
  for (const std::string_view part : parts) {
    update(&state, reinterpret_cast<const unsigned char*>(part.data()), part.size());
  }
  unsigned char hash[hash_bytes];
  final(&state, hash);
  char text[2 * hash_bytes + 1];
  return sodium_bin2hex(text, sizeof text, hash, hash_bytes);
}

std::string text_of(const nl::json& value) {
  return value.dump(-1, ' ', false, nl::json::error_handler_t::replace);
}

/// What is the same for every message: the delimiter, the signature, the four parts, and the buffers.
void add_parts(zmq::multipart_t& frames, const xeus::xmessage_base& message, const Signer& signer) {
  const std::string header = text_of(message.header()), parent = text_of(message.parent_header()),
                    metadata = text_of(message.metadata()), content = text_of(message.content());
  frames.addstr(std::string(delimiter));
  frames.addstr(signer.sign({header, parent, metadata, content}));
  for (const std::string* part : {&header, &parent, &metadata, &content}) frames.addstr(*part);
  for (const auto& buffer : message.buffers()) frames.addmem(buffer.data(), buffer.size());
}

}  // namespace

Signer::Signer(const std::string& scheme, std::string key) : key_(std::move(key)) {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be used: no random numbers?");
  if (key_.empty() || scheme == "none") return;
  if (scheme == "hmac-sha256") {
    scheme_ = Scheme::sha256;
  } else if (scheme == "hmac-sha512") {
    scheme_ = Scheme::sha512;
  } else {
    throw std::runtime_error("the connection file asks for signatures by " + scheme +
                             ": hmac-sha256 and hmac-sha512 are known (Session.signature_scheme)");
  }
}

std::string Signer::sign(Parts parts) const {
  switch (scheme_) {
    case Scheme::sha256:
      return hash_in_hex<crypto_auth_hmacsha256_state, crypto_auth_hmacsha256_BYTES>(
          key_, parts, crypto_auth_hmacsha256_init, crypto_auth_hmacsha256_update,
          crypto_auth_hmacsha256_final);
    case Scheme::sha512:
      return hash_in_hex<crypto_auth_hmacsha512_state, crypto_auth_hmacsha512_BYTES>(
          key_, parts, crypto_auth_hmacsha512_init, crypto_auth_hmacsha512_update,
          crypto_auth_hmacsha512_final);
    case Scheme::none:
      break;
  }
  return "";
}

bool Signer::is_signature(std::string_view signature, Parts parts) const {
  if (scheme_ == Scheme::none) return true;
  const std::string expected = sign(parts);
  return signature.size() == expected.size() &&
         sodium_memcmp(signature.data(), expected.data(), expected.size()) == 0;
}

zmq::multipart_t frames_of(const xeus::xmessage& message, const Signer& signer) {
  zmq::multipart_t frames;
  for (const std::string& identity : message.identities()) frames.addstr(identity);
  add_parts(frames, message, signer);
  return frames;
}

zmq::multipart_t frames_of(const xeus::xpub_message& message, const Signer& signer) {
  zmq::multipart_t frames;
  frames.addstr(message.topic());
  add_parts(frames, message, signer);
  return frames;
}

xeus::xmessage message_of(const zmq::multipart_t& frames, const Signer& signer) {
  xeus::xmessage::guid_list identities;
  std::size_t next = 0;
  while (next < frames.size() && frames.peek(next)->to_string_view() != delimiter) {
    identities.emplace_back(frames.peek(next++)->to_string_view());
  }
  constexpr std::size_t required_parts = 6;  // the delimiter, the signature, and the four that are signed
  if (frames.size() < next + required_parts) throw std::runtime_error("too few parts");
  const std::string_view signature = frames.peek(next + 1)->to_string_view();
  std::string_view parts[4];
  for (std::size_t part = 0; part < 4; ++part) parts[part] = frames.peek(next + 2 + part)->to_string_view();
  if (!signer.is_signature(signature, {parts[0], parts[1], parts[2], parts[3]})) {
    throw std::runtime_error("the signature is wrong");
  }
  xeus::buffer_sequence buffers;
  for (std::size_t buffer = next + required_parts; buffer < frames.size(); ++buffer) {
    const std::string_view bytes = frames.peek(buffer)->to_string_view();
    buffers.emplace_back(bytes.begin(), bytes.end());
  }
  return {identities,
          nl::json::parse(parts[0]),
          nl::json::parse(parts[1]),
          nl::json::parse(parts[2]),
          nl::json::parse(parts[3]),
          std::move(buffers)};
}

}  // namespace gamelan::kernel
