// SPDX-License-Identifier: BSD-3-Clause
// Headers (JSON) and frames. A valid header is small and flat. So it is checked for depth and size before a
// parser reads it, and every field is asked for by type.
#include "protocol/codec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "protocol/bytes.hpp"
#include "protocol/commands.hpp"
#include "protocol/header_text.hpp"

namespace gamelan::protocol {
namespace {

using Json = nlohmann::json;

[[noreturn]] void reject(const std::string& what) { throw Error(ErrorKind::protocol, "[decode] " + what); }

// ---- headers

Bytes to_frame(const std::string& text) {
  if (text.size() > max_header_bytes)
    throw Error(ErrorKind::protocol, "[encode] header is larger than 1 MiB");
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// Text that is not UTF-8 (a file name, perhaps) must not keep a message from being sent.
std::string to_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Bytes to_frame(const Json& header) { return to_frame(to_text(header)); }

/// The fields of one header, each checked for presence and type. The frames must outlive it.
class Header {
 public:
  explicit Header(const Frames& frames) {
    if (frames.empty()) reject("no frames");
    if (frames.size() > max_frames) reject("too many frames: got " + std::to_string(frames.size()));
    if (frames[0].size() > max_header_bytes) reject("header is larger than 1 MiB");
    text_ = {reinterpret_cast<const char*>(frames[0].data()), frames[0].size()};
    short_ = ShortFields::of(text_);
    if (!short_) parse();
  }

  std::string type() const { return short_ ? std::string(short_->type) : text("type"); }
  std::string text(const char* name) const {
    const Json& value = field(name);
    if (!value.is_string()) wrong(name, "a string");
    return value.get<std::string>();
  }
  std::uint64_t natural(const char* name) const {
    if (const auto number = short_ ? short_->find(name) : std::nullopt) return *number;
    const Json& value = field(name);
    if (!value.is_number_unsigned()) wrong(name, "a natural number");
    return value.get<std::uint64_t>();
  }
  bool has(const char* name) const { return short_ ? short_->find(name).has_value() : json_.contains(name); }
  /// A number that is left out where it is 0.
  std::uint64_t natural_or_0(const char* name) const { return has(name) ? natural(name) : 0; }
  std::size_t count(const char* name, std::size_t limit) const {
    const std::uint64_t value = natural_or_0(name);
    if (value > limit) reject(std::string("too many ") + name + ": got " + std::to_string(value));
    return static_cast<std::size_t>(value);
  }
  template <typename Integer>
  Integer integer(const char* name) const {
    const Json& value = field(name);
    if (!value.is_number_integer()) wrong(name, "an integer");
    // Numbers above the range of int64 are kept as unsigned ones.
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t(std::numeric_limits<Integer>::max())) {
      wrong(name, "a smaller integer");
    }
    const auto number = value.get<std::int64_t>();
    if (!std::in_range<Integer>(number)) wrong(name, "a smaller integer");
    return static_cast<Integer>(number);
  }
  bool boolean(const char* name) const {
    const Json& value = field(name);
    if (!value.is_boolean()) wrong(name, "true or false");
    return value.get<bool>();
  }
  const Json& field(const char* name) const {
    if (json_.is_null()) parse();
    const auto found = json_.find(name);
    if (found == json_.end()) reject(std::string("header without `") + name + "`");
    return *found;
  }
  [[noreturn]] static void wrong(const char* name, const char* expected) {
    reject(std::string("`") + name + "` is not " + expected);
  }

 private:
  void parse() const {
    if (!is_shallow(text_)) reject("header is nested too deeply");
    json_ = Json::parse(text_, nullptr, false);
    if (!json_.is_object()) reject("header is not a JSON object");
  }

  std::string_view text_;             // of the frame
  std::optional<ShortFields> short_;  // what it says, where it is as short as most are
  mutable Json json_;                 // null until a parser is needed
};

void require_frames(const Frames& frames, std::size_t expected) {
  if (frames.size() != expected) {
    reject("wrong number of frames: got " + std::to_string(frames.size()) + ", expected " +
           std::to_string(expected));
  }
}

std::string to_hex(std::uint64_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

std::uint64_t from_hex(const std::string& text, const char* name) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) Header::wrong(name, "a hexadecimal number");
  return number;
}

// ---- requests: for every type an `encode_` and a `decode_`

Frames encode_request(const Hello& hello) {
  return {to_frame({{"type", "hello"},
                    {"seq", hello.seq},
                    {"version", hello.version},
                    {"fingerprint", to_hex(hello.fingerprint)},
                    {"client", bounded(hello.client)}})};
}

Hello decode_hello(const Header& header) {
  return {header.natural("seq"), header.integer<int>("version"),
          from_hex(header.text("fingerprint"), "fingerprint"), header.text("client")};
}

NamedOptions decode_options(const Header& header) {
  const Json& options = header.field("options");
  const bool is_list =
      options.is_array() && std::all_of(options.begin(), options.end(), [](const Json& option) {
        return option.is_array() && option.size() == 2 && option[0].is_string() && option[1].is_string();
      });
  if (!is_list) Header::wrong("options", "a list of pairs of strings");
  return options.get<NamedOptions>();
}

Bytes header_of(const Batch& batch) {
  ShortHeader header("batch", batch.seq);
  header.put("commands", batch.commands.size());
  header.put("frees", batch.frees.size());
  header.put("fetches", batch.fetches.size());
  header.put("origins", batch.origins.size());
  header.put("payloads", batch.payloads.size());
  header.put("heard", batch.heard);
  header.put("watched", batch.watched);
  header.put("epoch", batch.epoch);
  header.put("holder", batch.holder);
  if (batch.explain) header.put_json("explain", "true");
  if (!batch.options.empty()) header.put_json("options", to_text(batch.options));
  return to_frame(std::move(header).text());
}

Frames encode_request(Batch&& batch) {
  if (batch.commands.size() > max_commands || batch.frees.size() > max_commands ||
      batch.origins.size() > max_commands || batch.payloads.size() > max_frames - 2 ||
      batch.fetches.size() > max_frames - 2) {
    throw Error(ErrorKind::protocol, "[encode] batch is too large: cut it");
  }
  Frames frames;
  frames.reserve(2 + batch.payloads.size());
  frames.push_back(header_of(batch));
  frames.push_back(encode_commands(batch));
  std::move(batch.payloads.begin(), batch.payloads.end(), std::back_inserter(frames));
  return frames;
}

Batch decode_batch(const Header& header, Frames&& frames, bool has_elements = true) {
  Batch batch;
  batch.seq = header.natural("seq");
  batch.explain = !has_elements || (header.has("explain") && header.boolean("explain"));
  batch.heard = header.natural_or_0("heard");
  batch.watched = static_cast<std::uint8_t>(header.count("watched", all_float_errors));
  batch.epoch = header.natural_or_0("epoch");
  batch.holder = header.natural_or_0("holder");
  if (header.has("options")) batch.options = decode_options(header);
  CommandCounts counts;
  counts.commands = header.count("commands", max_commands);
  counts.frees = header.count("frees", max_commands);
  counts.origins = header.count("origins", max_commands);
  counts.fetches = header.count("fetches", max_frames - 2);  // the reply needs a frame for each
  require_frames(frames, 2 + header.count("payloads", max_frames - 2));
  batch.payloads.assign(std::move_iterator(frames.begin() + 2), std::move_iterator(frames.end()));
  decode_commands(frames[1], counts, batch);
  return batch;
}

Frames encode_request(const Heartbeat& beat) {
  return {to_frame({{"type", "beat"}, {"seq", beat.seq}, {"heard", beat.heard}})};
}

Frames encode_request(const StatusRequest& status) {
  return {to_frame({{"type", "status"}, {"seq", status.seq}})};
}

Frames encode_request(const Cancel& cancel) {
  return {to_frame({{"type", "cancel"}, {"seq", cancel.seq}, {"batch", cancel.batch}})};
}

Frames encode_request(const Configure& configure) {
  return {to_frame({{"type", "configure"}, {"seq", configure.seq}, {"options", configure.options}})};
}

constexpr std::array<std::string_view, 10> ask_names{"list",   "introduce", "leave", "clear",   "publish",
                                                     "attach", "unpublish", "mark",  "inherit", "rejoin"};

Frames encode_request(const Holding& holding) {
  if (holding.name.size() > max_text_bytes || holding.about.size() > max_text_bytes)
    throw Error(ErrorKind::value, "the name is too long");
  return {to_frame({{"type", "holding"},
                    {"seq", holding.seq},
                    {"ask", ask_names[static_cast<std::size_t>(holding.ask)]},
                    {"holder", holding.holder},
                    {"array", holding.array},
                    {"name", holding.name},
                    {"about", holding.about}})};
}

Holding decode_holding(const Header& header) {
  const std::string ask = header.text("ask");
  const auto found = std::find(ask_names.begin(), ask_names.end(), ask);
  if (found == ask_names.end()) Header::wrong("ask", "a question that there is");
  return {header.natural("seq"),    static_cast<Holding::Ask>(found - ask_names.begin()),
          header.natural("holder"), header.natural("array"),
          header.text("name"),      header.text("about")};
}

Frames encode_request(const Shutdown& shutdown) {
  return {to_frame({{"type", "shutdown"}, {"seq", shutdown.seq}})};
}

// ---- replies

constexpr std::array<std::string_view, 3> outcome_names{"ok", "failed", "cancelled"};

Outcome decode_outcome(const std::string& text) {
  for (std::size_t outcome = 0; outcome < outcome_names.size(); ++outcome) {
    if (outcome_names[outcome] == text) return static_cast<Outcome>(outcome);
  }
  Header::wrong("outcome", "ok, failed or cancelled");
}

Json encode_float_errors(const std::vector<FloatErrors>& errors) {
  Json list = Json::array();
  for (const auto& each : errors) list.push_back(Json::array({each.kinds, each.first, each.last}));
  return list;
}

std::vector<FloatErrors> decode_float_errors(const Json& list) {
  if (!list.is_array()) Header::wrong("float_errors", "a list");
  std::vector<FloatErrors> errors;
  for (const Json& each : list) {
    const bool is_triple =
        each.is_array() && each.size() == 3 &&
        std::all_of(each.begin(), each.end(), [](const Json& number) { return number.is_number_unsigned(); });
    if (!is_triple) Header::wrong("float_errors", "a list of triples of numbers");
    const auto kinds = each[0].get<std::uint64_t>(), first = each[1].get<std::uint64_t>(),
               last = each[2].get<std::uint64_t>();
    if (kinds == 0 || kinds > all_float_errors || first > last || last >= max_commands)
      Header::wrong("float_errors", "kinds and commands");
    errors.push_back({static_cast<std::uint8_t>(kinds), static_cast<std::int32_t>(first),
                      static_cast<std::int32_t>(last)});
  }
  return errors;
}

/// The refusal of a Hello keeps its form in every version, and so do all replies that say more.
Bytes header_of(const Reply& reply) {
  if (reply.outcome != Outcome::ok || reply.error != ErrorKind::internal || !reply.message.empty() ||
      reply.command != -1 || reply.origin != Origin{})
    return to_frame({{"type", "reply"},
                     {"seq", reply.seq},
                     {"outcome", outcome_names[static_cast<std::size_t>(reply.outcome)]},
                     {"error", name(reply.error)},
                     {"message", bounded(reply.message)},
                     {"command", reply.command},
                     {"file", bounded(reply.origin.file)},
                     {"line", reply.origin.line},
                     {"float_errors", encode_float_errors(reply.float_errors)},
                     {"payloads", reply.payloads.size()}});
  ShortHeader header("reply", reply.seq);
  if (!reply.float_errors.empty())
    header.put_json("float_errors", encode_float_errors(reply.float_errors).dump());
  header.put("payloads", reply.payloads.size());
  return to_frame(std::move(header).text());
}

/// Runs a decoder. What the parser and the allocator throw for malformed bytes becomes Error{protocol}.
template <typename Decode>
auto guarded(Decode decode) {
  try {
    return decode();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    reject(error.what());
  }
}

}  // namespace

Frames encode(Request request) {
  return std::visit([](auto& message) { return encode_request(std::move(message)); }, request);
}

Request decode_request(Frames frames) {
  return guarded([&]() -> Request {
    const Header header(frames);
    const std::string type = header.type();
    if (type == "batch") return decode_batch(header, std::move(frames));
    require_frames(frames, 1);
    if (type == "hello") return decode_hello(header);
    if (type == "beat") return Heartbeat{header.natural("seq"), header.natural("heard")};
    if (type == "status") return StatusRequest{header.natural("seq")};
    if (type == "cancel") return Cancel{header.natural("seq"), header.natural("batch")};
    if (type == "configure") return Configure{header.natural("seq"), decode_options(header)};
    if (type == "holding") return decode_holding(header);
    if (type == "shutdown") return Shutdown{header.natural("seq")};
    reject("unknown type of request");
  });
}

Batch decode_without_elements(const Frames& frames) {
  return guarded([&] {
    const Header header(frames);
    if (header.type() != "batch") reject("not a batch");
    Frames shown(frames.size());
    for (std::size_t index = 1; index < frames.size(); ++index)
      if (index == 1 || frames[index].size() < 65'536) shown[index] = frames[index];
    return decode_batch(header, std::move(shown), false);
  });
}

/// Frame 1 is `info`: the text of a plan may be longer than a header.
Frames encode(Reply reply) {
  if (reply.payloads.size() > max_frames - 2)
    throw Error(ErrorKind::protocol, "[encode] too many payloads in a reply");
  Frames frames;
  frames.reserve(2 + reply.payloads.size());
  frames.push_back(header_of(reply));
  const auto* info = reinterpret_cast<const std::byte*>(reply.info.data());
  frames.emplace_back(info, info + reply.info.size());
  std::move(reply.payloads.begin(), reply.payloads.end(), std::back_inserter(frames));
  return frames;
}

Reply decode_reply(Frames frames) {
  return guarded([&] {
    const Header header(frames);
    if (header.type() != "reply") reject("not a reply");
    Reply reply;
    reply.seq = header.natural("seq");
    if (header.has("outcome")) reply.outcome = decode_outcome(header.text("outcome"));
    if (header.has("error")) reply.error = error_kind_by_name(header.text("error"));
    if (header.has("message")) reply.message = header.text("message");
    if (header.has("command")) reply.command = header.integer<std::int64_t>("command");
    if (header.has("file")) reply.origin.file = header.text("file");
    if (header.has("line")) reply.origin.line = header.integer<std::int32_t>("line");
    if (header.has("float_errors")) reply.float_errors = decode_float_errors(header.field("float_errors"));
    require_frames(frames, 2 + header.count("payloads", max_frames - 2));
    reply.info.assign(reinterpret_cast<const char*>(frames[1].data()), frames[1].size());
    if (!Json::accept(reply.info)) reject("info is not JSON");
    reply.payloads.assign(std::move_iterator(frames.begin() + 2), std::move_iterator(frames.end()));
    return reply;
  });
}

std::uint64_t peek_sequence(const Frames& frames) noexcept {
  try {
    return Header(frames).natural("seq");
  } catch (...) {
    return 0;
  }
}

}  // namespace gamelan::protocol
