// SPDX-License-Identifier: BSD-3-Clause
// The CRC-32 of elements of which each rank has summed its part, and where the log notes it: behind the path
// of the command that reads them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// `receipts`: the result of write_file, a sum and a number of bytes of each rank, in the order of the file.
std::uint32_t combined_sum(std::span<const std::byte> receipts);

/// What a command of the log has read: of a file that we have written for a checkpoint, or of a user's.
struct NotedSum {
  std::uint32_t sum = 0;
  bool is_of_checkpoint = false;
};
/// Makes "path\0sum" of the payload of read_file or read_pieces, "path\0=sum" where it is a user's file.
void note_sum(protocol::Bytes& path, NotedSum noted);
std::optional<NotedSum> sum_of(const protocol::Bytes& path);

/// The engines are to tell what they have summed while they read: adds a command with the result `receipts`
/// to a batch whose only command for a file is one read_file. False, and nothing added, where that is not so.
bool ask_for_sum(protocol::Batch& batch, protocol::ArrayId receipts, int ranks);
/// Takes that out of the batch again.
void take_out_question(protocol::Batch& batch);
/// Notes the answer in the batch as it was sent, where all ranks know their part, and no other command has
/// used the array since.
void note_answer(protocol::Batch& batch, std::span<const std::byte> receipts);

}  // namespace gamelan::kernel
