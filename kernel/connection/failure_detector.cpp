// SPDX-License-Identifier: BSD-3-Clause
// Limits differ by the way to rank 0: over ipc a closed connection means a dead process; a network may come
// back; what was given to a tunnel may still be on its way.
#include "kernel/connection/failure_detector.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <utility>

#include "kernel/connection/channel.hpp"

namespace gamelan::kernel {

using namespace std::chrono_literals;

namespace {

constexpr auto traffic_period = 500ms;     // between two looks at the bytes
constexpr auto suspicious_silence = 3s;    // then another connection is tried: it may get through sooner
constexpr auto silence_limit = 10s;        // of a network; rank 0 answers heartbeats even while it computes
constexpr auto local_silence_limit = 20s;  // of a process on this machine, which may be short of processors
constexpr auto local_reconnect_limit = 1s, nobody_there_limit = 2s;
constexpr auto suspicious_silence_of_tunnel = 6s;        // TCP within it gets over a cut of five seconds
constexpr std::uint64_t slow_tunnel_bytes = 128 * 1024;  // in a second
constexpr auto longest_allowance = 120s;
constexpr std::uint64_t bulk_bytes = 16 * 1024;  // acknowledged in half a second: more than heartbeats are

std::atomic<std::int64_t> patience_s{0};

std::string seconds_of(FailureDetector::Clock::duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

/// A process of this machine that somebody has stopped (SIGSTOP, a debugger).
bool is_stopped(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto end = text.rfind(')');  // the name before it may have anything in it
  return end != std::string::npos && end + 2 < text.size() && (text[end + 2] == 'T' || text[end + 2] == 't');
}

}  // namespace

void FailureDetector::set_patience(std::chrono::seconds patience) { patience_s = patience.count(); }
std::chrono::seconds FailureDetector::patience() { return std::chrono::seconds(patience_s); }

FailureDetector::FailureDetector(std::string host, std::int64_t process, Channel& channel)
    : host_(std::move(host)), process_(process), channel_(channel), silence_(Clock::now()) {
  last_progress_ = opened_ = Clock::now();
}

void FailureDetector::note_connected() {
  opened_ = Clock::now();
  disconnected_.reset();
  received_ = acknowledged_ = given_when_heard_ = 0;
  if (!std::exchange(was_connected_, true)) silence_.end();  // to find the first way may have taken long
}

void FailureDetector::note_disconnected() {
  if (!disconnected_) disconnected_ = Clock::now();
}

void FailureDetector::note_heard() {
  silence_.end();
  if (channel_.has_tunnel()) given_when_heard_ = channel_.traffic().acknowledged;
}

std::optional<std::string> FailureDetector::look() {
  const auto now = Clock::now();
  silence_.look(now);
  look_at_traffic(now);
  suspension_.reset();
  if (was_connected_) return channel_.is_local() ? look_at_local(now) : look_at_remote(now);
  if (channel_.failed_rounds() > 0) return explain(host_ + " cannot be reached");
  return std::nullopt;
}

void FailureDetector::look_at_traffic(Clock::time_point now) {
  if (now - last_progress_ < traffic_period) return;
  // A long message is no silence: its bytes move, even when no reply can overtake them.
  last_progress_ = now;
  const Socket::Traffic traffic = channel_.traffic();
  if (traffic.received > received_ || traffic.acknowledged > acknowledged_ + bulk_bytes) silence_.end();
  received_ = traffic.received;
  acknowledged_ = traffic.acknowledged;
}

std::optional<std::string> FailureDetector::look_at_local(Clock::time_point now) {
  if (disconnected_ && now - *disconnected_ > local_reconnect_limit)
    return explain("the engines closed the connection");
  const bool is_seen_stopped = silence_.time() > suspicious_silence && is_stopped(process_);
  const auto verdict =
      silence_.local_verdict(is_seen_stopped, local_silence_limit, std::chrono::seconds(patience_s));
  if (verdict == Silence::Verdict::lost)
    return explain("the engines have not answered for " + seconds_of(local_silence_limit));
  if (verdict == Silence::Verdict::waits) {
    const auto process = std::to_string(process_);
    suspension_ =
        "rank 0 on " + host_ + " (process " + process +
        (is_seen_stopped ? ") is stopped (kill -CONT " + process + " has it go on)" : ") was stopped") +
        " and has not answered for " + seconds_of(silence_.time());
  }
  return std::nullopt;
}

std::optional<std::string> FailureDetector::look_at_remote(Clock::time_point now) {
  if (disconnected_ && channel_.is_nobody_there() && now - *disconnected_ > nobody_there_limit)
    return explain("the engines closed the connection, and rank 0 is no more on " + host_);
  const auto silence = silence_.time();
  const bool is_new = now - opened_ < suspicious_silence;
  if (silence > silence_limit + allowance() && !(channel_.is_open() && is_new)) {
    const auto limit = std::max<Clock::duration>(silence_limit, std::chrono::seconds(patience_s));
    if (silence > limit + allowance()) return explain(host_ + " does not answer since " + seconds_of(limit));
    suspension_ = explain(host_ + " does not answer since " + seconds_of(silence));
  }
  const auto suspicious = channel_.has_tunnel() ? suspicious_silence_of_tunnel : suspicious_silence;
  if (silence > suspicious + allowance() && channel_.is_open() && !is_new) {
    note_disconnected();
    channel_.reconnect();
  }
  return std::nullopt;
}

FailureDetector::Clock::duration FailureDetector::allowance() const {
  // What a tunnel's program has taken may still lie in its buffers, megabytes of it, and our heartbeats
  // behind it.
  if (!channel_.has_tunnel()) return {};
  const std::uint64_t on_its_way = channel_.traffic().acknowledged - given_when_heard_;
  if (on_its_way < bulk_bytes) return {};
  return std::min<Clock::duration>(std::chrono::seconds(on_its_way / slow_tunnel_bytes), longest_allowance);
}

std::string FailureDetector::explain(const std::string& cause) const {
  const std::string why = channel_.problem();
  std::string text = cause;
  if (!why.empty())
    text += ": " + why;
  else if (channel_.is_open())
    text += ": it takes connections and says nothing: rank 0 hangs, or is stopped";
  if (!was_connected_)
    text += ". `gamelan engines list` shows what runs, `gamelan engines start` starts new ones";
  return text;
}

}  // namespace gamelan::kernel
