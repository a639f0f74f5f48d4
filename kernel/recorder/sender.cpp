// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/sender.hpp"

#include <utility>

#include "kernel/recorder/log/sums.hpp"
#include "protocol/codec.hpp"

namespace gamelan::kernel {

using protocol::Batch;

namespace {

/// Puts the rider behind the batch. Returns the arrays that it makes.
std::vector<protocol::ArrayId> append(Batch& batch, Batch rider) {
  const auto lines = static_cast<std::uint32_t>(batch.origins.size());
  const auto move_to = [](auto& from, auto& to) {
    to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
  };
  for (auto& command : rider.commands) command.origin += lines;
  move_to(rider.commands, batch.commands);
  move_to(rider.origins, batch.origins);
  move_to(rider.fetches, batch.fetches);
  batch.frees.insert(batch.frees.end(), rider.frees.begin(), rider.frees.end());
  batch.watched |= rider.watched;
  return std::move(rider.frees);
}

}  // namespace

void Sender::add(protocol::Command command, CurrentLine current, std::uint64_t call, std::uint32_t listener) {
  if (recorder_.add(std::move(command), current.line, listener, call)) keep(std::move(current));
}

void Sender::add(protocol::Command command, CurrentLine current, std::uint64_t call,
                 protocol::Bytes payload) {
  if (recorder_.add(std::move(command), current.line, 0, call, std::move(payload))) keep(std::move(current));
}

void Sender::add_again(protocol::Command command, CurrentLine line, bool is_sound) {
  const auto listener = is_sound ? FloatListeners::sound : FloatListeners::nobody;
  if (recorder_.add_back(std::move(command), line.line, listener, 0, std::nullopt)) keep(std::move(line));
}

CurrentLine Sender::line_of(std::size_t command) const {
  const auto origin = recorder_.pending().commands[command].origin;
  const SourceLine line = recorder_.lines()[origin];
  return {line, Ref::borrow(kept_codes_.at(line.code).get()), listeners_.globals_of(origin), true};
}

void Sender::keep(CurrentLine current) {
  kept_codes_.try_emplace(current.line.code, std::move(current.code));
  listeners_.add_line(std::move(current.globals));
}

Batch Sender::cut(const SourceLine* next, SentBatch& sent) {
  auto result = recorder_.cut(next);
  for (const SourceLine& line : result.lines) result.batch.origins.push_back(resolve(line));
  sent.listeners = std::exchange(listeners_, {});
  sent.listeners.close(result.batch, result.listeners);
  result.batch.watched = static_cast<std::uint8_t>(sent.listeners.watched());
  sent.written.reserve(result.calls.size());
  for (std::size_t index = 0; index < result.calls.size(); ++index) {
    const auto& command = result.batch.commands[index];
    sent.written.push_back({command.out.base, result.calls[index], command.origin, command.creates});
  }
  sent.origins = result.batch.origins;
  calls_.note_sent(result.calls, sent);
  kept_codes_.clear();
  if (result.blocked != nullptr) outcomes_.defer(result.blocked);
  return std::move(result.batch);
}

SentBatch Sender::send(const SourceLine* next, std::vector<protocol::View> fetches,
                       std::optional<Batch> rider) {
  SentBatch sent;
  sent.work = recorder_.pending_work();
  Batch batch = cut(next, sent);
  sent.freed = batch.frees;
  sent.epoch = batch.epoch = outcomes_.epoch();
  batch.options = options_;
  batch.holder = recorder_.holder();
  batch.fetches = std::move(fetches);
  std::erase_if(batch.fetches,
                [&](const protocol::View& view) { return recorder_.poison_of(view.base) != nullptr; });
  sent.number = ++batches_;
  sent.sent_at = std::chrono::steady_clock::now();
  SharedFrames frames_without_rider;
  if (rider) {
    if (!model_ && CommandLog::is_on())
      frames_without_rider =
          std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request(batch)));
    sent.made_by_rider = append(batch, *std::move(rider));
  }
  if (model_) {
    sent.played = std::make_shared<protocol::Reply>(model_->run(batch));
  } else {
    sent.files = stamps_of(batch);
    sent.asks_for_sum = !sent.files.empty() && CommandLog::is_on() &&
                        ask_for_sum(batch, recorder_.new_id(), engines_.ranks());
    sent.engines = engines_.generation();
    sent.seq = engines_.send_batch(std::move(batch), sent.frames);
    if (!CommandLog::is_on()) sent.frames.reset();
    if (frames_without_rider != nullptr) sent.frames = std::move(frames_without_rider);
  }
  outcomes_.note_sent(sent);
  return sent;
}

std::vector<Sender::Later> Sender::set_aside(std::size_t place) {
  std::vector<Later> later;
  for (std::size_t n = place; n < recorder_.pending().commands.size(); ++n) {
    const auto number = recorder_.listener_of(n);
    later.push_back({recorder_.pending().commands[n], recorder_.take_payload(n), line_of(n), number,
                     listeners_.of(number), recorder_.pending_calls()[n]});
  }
  recorder_.set_aside(place);
  return later;
}

void Sender::add_again(std::vector<Later> later) {
  for (auto& [command, payload, line, number, listener, call] : later)
    if (recorder_.add_back(std::move(command), line.line, listeners_.add(number, listener), call,
                           std::move(payload)))
      keep(std::move(line));
}

Batch Sender::batch_of(PartialLook look) const {
  Batch batch;
  for (auto& command : look.commands) {
    batch.origins.push_back(resolve(recorder_.lines()[command.origin]));
    command.origin = static_cast<std::uint32_t>(batch.origins.size() - 1);
  }
  batch.commands = std::move(look.commands);
  batch.frees = std::move(look.made);
  batch.fetches = std::move(look.fetches);
  batch.watched = static_cast<std::uint8_t>(look.watched);
  return batch;
}

std::optional<protocol::Reply> Sender::ask(PartialLook look) {
  Batch batch = batch_of(std::move(look));
  batch.options = options_;
  batch.holder = recorder_.holder();
  if (model_) return model_->run(batch);
  return engines_.tell(std::move(batch));
}

Batch Sender::preview() {
  Batch batch = recorder_.pending();
  batch.explain = true;
  batch.frees = recorder_.peek_frees();
  batch.watched = static_cast<std::uint8_t>(listeners_.watched());
  batch.options = options_;
  for (const SourceLine& line : recorder_.lines()) batch.origins.push_back(resolve(line));
  return std::get<Batch>(protocol::decode_request(protocol::encode(protocol::Request{std::move(batch)})));
}

void Sender::abandon(const FailurePtr& cause) {
  std::vector<FailurePtr> causes;
  for (const SourceLine& line : recorder_.lines())
    causes.push_back(cause != nullptr ? cause : interrupted(resolve(line)));
  recorder_.abandon(causes);
  kept_codes_.clear();
  listeners_ = {};
}

}  // namespace gamelan::kernel
