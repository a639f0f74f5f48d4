// SPDX-License-Identifier: BSD-3-Clause
// The log as bytes, so that another process can go on with it: a heading, then one record for each batch,
// many of them compressed together. Records are appended as batches come.
#include <bit>

#include "kernel/recorder/log/command_log.hpp"
#include "kernel/recorder/log/needed.hpp"
#include "protocol/bytes.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Reader;
using protocol::Writer;

namespace {

constexpr std::uint64_t heading = 0x34474f4c4c4d4147;  // "GAMLLOG4"
enum class Kind : std::uint8_t { batch = 1, lost = 2, compressed = 3 };
constexpr std::int64_t together_bytes = 1 << 17;  // of records that are compressed together
constexpr std::size_t least_expected = std::size_t{1} << 12;

constexpr const char* not_kept =
    "its elements came from the earlier kernel's own memory, and were too many to be kept "
    "(np.config.kept_bytes); np.config.protect ('memory', or a folder) keeps such arrays";

[[noreturn]] void reject(const char* why) { throw Error(ErrorKind::protocol, std::string("[log] ") + why); }

void put(Writer& out, const CommandLog::Entry& entry) {
  out.put(Kind::batch);
  out.put(entry.number);
  out.put(static_cast<std::uint64_t>(entry.ran));
  out.put(std::bit_cast<std::uint64_t>(entry.seconds));
  out.put(static_cast<std::uint32_t>(entry.frees.size()));
  for (const auto id : entry.frees) out.put(id);
  out.put(static_cast<std::uint32_t>(entry.foreign.size()));
  for (const auto id : entry.foreign) out.put(id);
  out.put(static_cast<std::uint32_t>(entry.files.size()));
  for (const auto& file : entry.files) {
    out.put_text(file.path);
    out.put(file.bytes);
    out.put(file.modified_ns);
  }
  const auto packed = protocol::pack(*entry.frames.sent());
  out.put(static_cast<std::uint64_t>(packed.size()));
  out.put_raw(packed.data(), packed.size());
}

void put_compressed(Writer& out, const Bytes& records) {
  const auto packed = compressed(records);
  out.put(Kind::compressed);
  out.put(static_cast<std::uint64_t>(records.size()));
  out.put(static_cast<std::uint64_t>(packed.size()));
  out.put_raw(packed.data(), packed.size());
}

Bytes get_expanded(Reader& in) {
  const auto size = in.get<std::uint64_t>();
  const auto packed_size = in.get<std::uint64_t>();
  in.need_each(packed_size, 1);
  Bytes packed(packed_size);
  in.get_raw(packed.data(), packed.size());
  return expanded(packed, size);
}

CommandLog::Entry get_entry(Reader& in) {
  CommandLog::Entry entry;
  entry.number = in.get<std::uint64_t>();
  entry.ran = in.get<std::uint64_t>();
  entry.seconds = std::bit_cast<double>(in.get<std::uint64_t>());
  entry.frees.resize(in.get_count(sizeof(ArrayId)));
  for (auto& id : entry.frees) id = in.get<ArrayId>();
  entry.foreign.resize(in.get_count(sizeof(ArrayId)));
  for (auto& id : entry.foreign) id = in.get<ArrayId>();
  entry.files.resize(in.get_count(4 + 8 + 8));
  for (auto& file : entry.files) {
    file.path = in.get_text();
    file.bytes = in.get<std::int64_t>();
    file.modified_ns = in.get<std::int64_t>();
  }
  const auto size = in.get<std::uint64_t>();
  in.need_each(size, 1);
  Bytes packed(size);
  in.get_raw(packed.data(), packed.size());
  auto frames = protocol::unpack(packed);
  const auto request = protocol::decode_request(frames);  // whatever a file holds: a batch, or an error here
  const auto* batch = std::get_if<protocol::Batch>(&request);
  if (batch == nullptr || entry.ran > batch->commands.size()) reject("a record is no batch");
  entry.frames = std::make_shared<const protocol::Frames>(std::move(frames));
  return entry;
}

}  // namespace

CommandLog::Entry CommandLog::without_payloads(const Entry& entry, const std::function<void(ArrayId)>& told) {
  Entry reduced = entry;
  protocol::Batch batch = decode(entry);
  std::erase_if(batch.commands, [&](const protocol::Command& command) {
    const bool is_large = has_elements(command, batch, left_out);
    if (is_large) told(command.out.base);
    return is_large;
  });
  drop_unused_payloads(batch);
  reduced.ran = batch.commands.size();
  reduced.frames =
      std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request(std::move(batch))));
  return reduced;
}

Bytes CommandLog::written(std::size_t first, bool is_new, bool without_elements) const {
  Writer out(least_expected);
  const auto put_reason = [&](ArrayId id, const std::string& why) {
    out.put(Kind::lost);
    out.put(id);
    out.put_text(why);
  };
  const auto put_lost = [&](ArrayId id) { put_reason(id, not_kept); };
  const Lost lost = is_new ? lost_at_the_beginning() : Lost();
  if (is_new) {
    out.put(heading);
    out.put(protocol::protocol_version);
    out.put(protocol::fingerprint());
    for (const auto& [id, why] : lost) put_reason(id, why);
  }
  std::int64_t bytes = 0;
  Writer records(least_expected);
  const auto put_records = [&] {
    if (bytes > 0) put_compressed(out, std::exchange(records, Writer(least_expected)).finish());
    bytes = 0;
  };
  for (; first < entries_.size(); ++first) {
    const auto& frames = entries_[first].frames;
    if (frames.has_many_elements()) {
      put_records();
      put(out, without_elements ? without_payloads(entries_[first], put_lost) : entries_[first]);
      continue;
    }
    put(records, entries_[first]);
    if ((bytes += frames.sent_bytes()) > together_bytes) put_records();
  }
  put_records();
  if (is_new)
    for (const auto& [id, why] : lost_)
      if (!lost.contains(id)) put_reason(id, why);
  return out.finish();
}

void CommandLog::read(std::span<const std::byte> file) {
  Reader in(file);
  const auto found = in.get<std::uint64_t>();
  if (((found ^ heading) << 8) != 0) reject("this is no log of a session");
  if (found != heading || in.get<int>() != protocol::protocol_version ||
      in.get<std::uint64_t>() != protocol::fingerprint())
    reject("the log is of another build of Gamelan, whose commands may mean something else");
  bool is_lost_later = false;
  while (in.remaining() > 0) {
    const auto kind = in.get<std::uint8_t>();
    if (kind == static_cast<std::uint8_t>(Kind::batch)) {
      add(get_entry(in));
    } else if (kind == static_cast<std::uint8_t>(Kind::compressed)) {
      const auto records = get_expanded(in);
      Reader each(records);
      while (each.remaining() > 0) {
        if (each.get<std::uint8_t>() != static_cast<std::uint8_t>(Kind::batch))
          reject("a record is no batch");
        add(get_entry(each));
      }
    } else if (kind == static_cast<std::uint8_t>(Kind::lost)) {
      const auto id = in.get<ArrayId>();
      lose(id, in.get_text());
      is_lost_later |= !entries_.empty();
    } else {
      reject("a record of an unknown kind");
    }
  }
  if (is_lost_later) spread(lost_at_the_beginning());
}

}  // namespace gamelan::kernel
