// SPDX-License-Identifier: BSD-3-Clause
// Uses HMAC-SHA512-256 of libsodium, on which libzmq is built, too.
#include "engine/nodes/proof.hpp"

#include <sodium.h>

#include <cstring>
#include <vector>

#include "protocol/error.hpp"

namespace gamelan::engine::nodes {
namespace {

static_assert(sizeof(Secret) == crypto_auth_KEYBYTES && sizeof(Proof) == crypto_auth_BYTES);

void open_library() {
  static const int code = sodium_init();  // 1: libzmq was first
  if (code < 0)
    throw protocol::Error(protocol::ErrorKind::os, "[nodes] libsodium cannot be used: no random numbers?");
}

const unsigned char* raw(const std::array<std::byte, 32>& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// The text is made field by field, because bytes between the members of a struct are undefined.
std::vector<unsigned char> text_of(Side side, const Meeting& meeting) {
  std::vector<unsigned char> text;
  const auto add = [&text](const void* from, std::size_t count) {
    const auto* bytes = static_cast<const unsigned char*>(from);
    text.insert(text.end(), bytes, bytes + count);
  };
  add("gamelan", 7);
  add(&side, sizeof side);
  add(&meeting.child, sizeof meeting.child);
  add(&meeting.parent, sizeof meeting.parent);
  add(&meeting.address, sizeof meeting.address);
  add(&meeting.port, sizeof meeting.port);
  add(meeting.from_child.data(), meeting.from_child.size());
  add(meeting.from_parent.data(), meeting.from_parent.size());
  return text;
}

}  // namespace

std::array<std::byte, 32> draw() {
  open_library();
  std::array<std::byte, 32> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

Proof prove(const Secret& secret, Side side, const Meeting& meeting) {
  open_library();
  const auto text = text_of(side, meeting);
  Proof proof;
  crypto_auth(reinterpret_cast<unsigned char*>(proof.data()), text.data(), text.size(), raw(secret));
  return proof;
}

bool is_proof(const Proof& proof, const Secret& secret, Side side, const Meeting& meeting) {
  open_library();
  const auto text = text_of(side, meeting);
  return crypto_auth_verify(raw(proof), text.data(), text.size(), raw(secret)) == 0;
}

}  // namespace gamelan::engine::nodes
