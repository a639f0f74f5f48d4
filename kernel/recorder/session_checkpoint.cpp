// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: when one is made, that nobody else uses the engines meanwhile, and whether its files are what
// was written.
#include "kernel/recorder/session.hpp"
// (Python.h first)
#include <algorithm>
#include <thread>
#include <utility>

#include "kernel/recorder/gil.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/log/sums.hpp"
#include "protocol/pieces.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Command;
using protocol::Error;
using protocol::Outcome;

void Session::store_if_due() {
  if (is_alone_ || !log_.is_due() || !checkpoint_hook) return;
  Ref::checked(PyObject_CallNoArgs(checkpoint_hook.get()));
}

std::vector<protocol::View> Session::unlogged() const {
  auto arrays = log_.unlogged();
  std::erase_if(arrays, [&](const auto& whole) { return recorder_.poison_of(whole.base) != nullptr; });
  return arrays;
}

bool Session::is_anothers_turn() const { return is_alone_ && alone_thread_ != PyThread_get_thread_ident(); }

bool Session::is_my_turn() const { return is_alone_ && alone_thread_ == PyThread_get_thread_ident(); }

void Session::wait_a_moment() {
  if (PyErr_CheckSignals() != 0) throw PythonError();
  const WithoutGil released;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void Session::wait_for_my_turn() {
  while (is_anothers_turn()) wait_a_moment();
}

void Session::be_alone(bool is_alone) {
  if (is_alone) wait_for_my_turn();
  if (!is_alone && !is_my_turn()) return;  // another thread is, by now, or nobody
  is_alone_ = is_alone;
  alone_thread_ = PyThread_get_thread_ident();
  recorder_.hold_frees(is_alone);
}

void Session::wait_for_others() {
  while (!in_settlement_.empty()) {
    survive();  // what is repeated then has its reply, too
    if (engines_.is_lost()) return;
    if (PyErr_CheckSignals() != 0) throw PythonError();
    const WithoutGil released;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Session::check_sums(CommandLog& log, std::span<const CommandLog::Expected> expected) {
  for (const auto& [place, whole, sum, why_lost] : expected) {
    Command command;
    command.op = protocol::Op::write_file;  // nowhere: only the sums are wanted
    command.loop = whole.dtype;
    command.creates = true;
    command.in = {whole};
    command.out = protocol::whole(new_id(), protocol::Dtype::int64, {2 * std::max(engines_.ranks(), 1)});
    command.ints = {0, 1};
    command.payload = 0;
    Batch batch;
    batch.holder = recorder_.holder();
    batch.payloads.emplace_back();
    batch.origins.emplace_back();
    batch.fetches = {command.out};
    batch.frees = {command.out.base};
    batch.commands.push_back(std::move(command));
    Client::SharedFrames frames;
    const auto reply = engines_.wait_for(engines_.send_batch(std::move(batch), frames));
    if (!reply) return;
    if (reply->outcome == Outcome::ok && reply->payloads.size() == 1 &&
        combined_sum(reply->payloads[0]) == sum)
      continue;
    log.lose(whole.base, why_lost);
    free_there({whole.base});
  }
}

bool Session::remove_pieces(const std::string& name, double wait_s) {
  if (!engines_.has_client() || engines_.has_ended()) return false;
  Command command;
  command.op = protocol::Op::tend_pieces;
  command.loop = protocol::Dtype::int64;
  command.creates = true;
  command.out = protocol::whole(new_id(), protocol::Dtype::int64, {2 * std::max(engines_.ranks(), 1)});
  command.ints = {static_cast<std::int64_t>(protocol::PieceAction::remove), 0};
  command.payload = 0;
  Batch batch;
  batch.holder = recorder_.holder();
  const auto* first = reinterpret_cast<const std::byte*>(name.data());
  batch.payloads.emplace_back(first, first + name.size());
  batch.origins.emplace_back();
  batch.fetches = {command.out};
  batch.frees = {command.out.base};
  batch.commands.push_back(std::move(command));
  Client::SharedFrames frames;
  try {
    const auto seq = engines_.send_batch(std::move(batch), frames);
    if (seq == 0) return false;
    const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * wait_s));
    const auto reply = engines_.take(seq, limit);
    if (!reply) engines_.forget(seq);
    return wait_s <= 0 || (reply && reply->outcome == Outcome::ok);
  } catch (const Error& error) {
    if (error.kind() != protocol::ErrorKind::engine_lost) throw;
    return false;  // they are gone: whoever needs them hears of it
  }
}

}  // namespace gamelan::kernel
