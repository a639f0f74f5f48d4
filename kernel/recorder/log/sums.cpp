// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/log/sums.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <variant>

#include "protocol/codec.hpp"
#include "protocol/datasets.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Command;
using protocol::Op;

namespace {

constexpr std::size_t sum_digits = 8;
constexpr char of_user = '=';
constexpr std::int64_t known_from_reading = 2;

bool is_question(const Command& command) {
  return command.op == Op::write_file && command.ints[1] == known_from_reading;
}

bool uses(const Command& command, protocol::ArrayId id) {
  return command.out.base == id ||
         std::any_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
           const auto* view = std::get_if<protocol::View>(&operand);
           return view != nullptr && view->base == id;
         });
}

}  // namespace

std::uint32_t combined_sum(std::span<const std::byte> receipts) {
  std::uint32_t sum = 0;
  for (std::size_t place = 0; place + 16 <= receipts.size(); place += 16) {
    std::int64_t piece[2];
    std::memcpy(piece, receipts.data() + place, sizeof piece);
    sum = static_cast<std::uint32_t>(crc32_combine(sum, static_cast<uLong>(piece[0]), piece[1]));
  }
  return sum;
}

void note_sum(protocol::Bytes& path, NotedSum noted) {
  std::array<char, sum_digits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", noted.sum);
  path.push_back(std::byte{0});
  if (!noted.is_of_checkpoint) path.push_back(static_cast<std::byte>(of_user));
  const auto text = std::as_bytes(std::span(digits.data(), sum_digits));
  path.insert(path.end(), text.begin(), text.end());
}

std::optional<NotedSum> sum_of(const protocol::Bytes& path) {
  std::string text = protocol::hdf5_names(path).second;
  NotedSum noted{0, text.size() == sum_digits};
  if (!noted.is_of_checkpoint && (text.size() != sum_digits + 1 || text[0] != of_user)) return std::nullopt;
  if (!noted.is_of_checkpoint) text.erase(0, 1);
  if (text.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  noted.sum = static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
  return noted;
}

bool ask_for_sum(Batch& batch, protocol::ArrayId receipts, int ranks) {
  const Command* reading = nullptr;
  for (const auto& command : batch.commands) {
    if (!protocol::is_of_file(command.op)) continue;
    if (reading != nullptr || command.op != Op::read_file) return false;
    reading = &command;
  }
  if (reading == nullptr || batch.commands.size() >= protocol::max_commands) return false;
  Command question;
  question.op = Op::write_file;
  question.loop = reading->loop;
  question.creates = true;
  question.in = {reading->out};
  question.out = protocol::whole(receipts, protocol::Dtype::int64, {2 * std::int64_t{std::max(ranks, 1)}});
  question.ints = {0, known_from_reading};
  question.origin = reading->origin;
  question.payload = static_cast<std::int32_t>(batch.payloads.size());
  batch.payloads.emplace_back();
  batch.fetches.push_back(question.out);
  batch.frees.push_back(receipts);
  batch.commands.push_back(std::move(question));
  return true;
}

void take_out_question(Batch& batch) {
  if (batch.commands.empty() || !is_question(batch.commands.back())) return;
  const auto receipts = batch.commands.back().out.base;
  batch.commands.pop_back();
  batch.payloads.pop_back();
  std::erase_if(batch.fetches, [&](const protocol::View& view) { return view.base == receipts; });
  std::erase(batch.frees, receipts);
}

void note_answer(Batch& batch, std::span<const std::byte> receipts) {
  std::int64_t bytes = 0;
  std::uint32_t sum = 0;
  for (std::size_t place = 0; place + 16 <= receipts.size(); place += 16) {
    std::int64_t part[2];
    std::memcpy(part, receipts.data() + place, sizeof part);
    sum ^= static_cast<std::uint32_t>(part[0]);
    bytes += part[1];
  }
  const auto reading = std::find_if(batch.commands.begin(), batch.commands.end(),
                                    [](const Command& command) { return command.op == Op::read_file; });
  if (reading == batch.commands.end()) return;
  const auto id = reading->out.base;
  const bool is_alone = std::count_if(batch.commands.begin(), batch.commands.end(),
                                      [&](const Command& command) { return uses(command, id); }) == 1;
  auto& path = batch.payloads[static_cast<std::size_t>(reading->payload)];
  const auto whole = protocol::element_count(reading->out.extents) *
                     static_cast<std::int64_t>(protocol::size_of(reading->out.dtype));
  if (is_alone && bytes == whole && !sum_of(path)) note_sum(path, {sum, false});
}

}  // namespace gamelan::kernel
