// SPDX-License-Identifier: BSD-3-Clause
// What a batch of 1,000 commands costs on the wire: JSON, CBOR and MessagePack through nlohmann_json against
// the binary frame of protocol/commands.cpp. The rivals only parse and fill the structs; the codec also
// checks every command. Figures: docs/decisions/002-binary-commands.md. Prints one JSON object per form;
// exits with 1 when a round trip differs.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "protocol/codec.hpp"
#include "tests/protocol/by_name.hpp"

namespace {

using namespace gamelan::protocol;
using Json = nlohmann::json;

constexpr int command_count = 1000;
constexpr int rounds = 51;

/// The body of a stencil loop: out = a[1:-1, :-2] + b[1:-1, 2:] and now and then a product with a number.
Batch stencil_batch() {
  Batch batch;
  batch.seq = 1;
  batch.origins = {{"Cell In[3]", 4}, {"Cell In[3]", 5}};
  for (int index = 0; index < command_count; ++index) {
    const auto id = static_cast<ArrayId>(index + 10);
    Command command;
    command.op = index % 4 == 0 ? Op::multiply : Op::add;
    command.creates = true;
    command.out = whole(id, Dtype::float64, {4094, 4094});
    command.in.emplace_back(View{id - 1, Dtype::float64, 8 * 4096, {4094, 4094}, {8 * 4096, 8}});
    if (index % 4 == 0) {
      command.in.emplace_back(Scalar{});
    } else {
      command.in.emplace_back(View{id - 2, Dtype::float64, 16, {4094, 4094}, {8 * 4096, 8}});
    }
    command.origin = static_cast<std::uint32_t>(index % 2);
    batch.commands.push_back(std::move(command));
    batch.frees.push_back(id - 3);
  }
  return batch;
}

Json to_json(const View& view) {
  return {{"base", view.base},
          {"dtype", info(view.dtype).typestr},
          {"offset", view.offset},
          {"extents", view.extents},
          {"strides", view.strides}};
}

View view_from(const Json& json) {
  static const std::vector<std::string> codes = [] {
    std::vector<std::string> built;
    for (int code = 0; code < dtype_count; ++code) built.emplace_back(info(static_cast<Dtype>(code)).typestr);
    return built;
  }();
  const auto found = std::find(codes.begin(), codes.end(), json.at("dtype").get_ref<const std::string&>());
  return {json.at("base").get<ArrayId>(), static_cast<Dtype>(found - codes.begin()),
          json.at("offset").get<std::int64_t>(), json.at("extents").get<Shape>(),
          json.at("strides").get<Shape>()};
}

Json to_json(const Batch& batch) {
  Json commands = Json::array();
  for (const Command& command : batch.commands) {
    Json operands = Json::array();
    for (const Operand& operand : command.in) {
      if (const View* view = std::get_if<View>(&operand)) {
        operands.push_back(to_json(*view));
      } else {
        const Scalar& scalar = std::get<Scalar>(operand);
        operands.push_back({{"dtype", static_cast<int>(scalar.dtype)},
                            {"bytes", reinterpret_cast<const std::array<std::uint8_t, 16>&>(scalar.bytes)}});
      }
    }
    commands.push_back({{"op", info(command.op).name},
                        {"loop", static_cast<int>(command.loop)},
                        {"out", to_json(command.out)},
                        {"creates", command.creates},
                        {"in", std::move(operands)},
                        {"ints", command.ints},
                        {"payload", command.payload},
                        {"origin", command.origin}});
  }
  Json origins = Json::array();
  for (const Origin& origin : batch.origins) origins.push_back({origin.file, origin.line});
  return {{"seq", batch.seq},
          {"commands", std::move(commands)},
          {"frees", batch.frees},
          {"origins", std::move(origins)}};
}

Batch batch_from(const Json& json) {
  Batch batch;
  batch.seq = json.at("seq").get<std::uint64_t>();
  for (const Json& entry : json.at("commands")) {
    Command command;
    command.op = op_by_name(entry.at("op").get_ref<const std::string&>()).value();
    command.loop = static_cast<Dtype>(entry.at("loop").get<int>());
    command.out = view_from(entry.at("out"));
    command.creates = entry.at("creates").get<bool>();
    for (const Json& operand : entry.at("in")) {
      if (operand.contains("base")) {
        command.in.emplace_back(view_from(operand));
      } else {
        Scalar scalar{static_cast<Dtype>(operand.at("dtype").get<int>()), {}};
        const auto bytes = operand.at("bytes").get<std::array<std::uint8_t, 16>>();
        std::transform(bytes.begin(), bytes.end(), scalar.bytes.begin(),
                       [](std::uint8_t byte) { return std::byte{byte}; });
        command.in.emplace_back(scalar);
      }
    }
    command.ints = entry.at("ints").get<std::vector<std::int64_t>>();
    command.payload = entry.at("payload").get<std::int32_t>();
    command.origin = entry.at("origin").get<std::uint32_t>();
    batch.commands.push_back(std::move(command));
  }
  batch.frees = json.at("frees").get<std::vector<ArrayId>>();
  for (const Json& origin : json.at("origins"))
    batch.origins.push_back({origin[0].get<std::string>(), origin[1].get<int>()});
  return batch;
}

double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/// Median microseconds of processor time of `work`: a busy machine must not blur the comparison.
double microseconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_microseconds();
    work();
    times.push_back(cpu_microseconds() - start);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

template <typename Encode, typename Decode>
bool measure(const char* form, const Batch& batch, Encode encode_form, Decode decode_form) {
  const auto encoded = encode_form(batch);
  std::size_t bytes = 0;
  if constexpr (std::is_same_v<std::decay_t<decltype(encoded)>, Frames>) {
    for (const Bytes& frame : encoded) bytes += frame.size();
  } else {
    bytes = encoded.size();
  }
  const double encode_us = microseconds([&] { encode_form(batch); });
  const double decode_us = microseconds([&] { decode_form(encoded); });
  const Batch back = decode_form(encoded);
  const bool is_same =
      back.commands == batch.commands && back.frees == batch.frees && back.origins == batch.origins;
  std::cout << Json{{"form", form},
                    {"commands", command_count},
                    {"bytes", bytes},
                    {"encode_us", std::round(encode_us)},
                    {"decode_us", std::round(decode_us)},
                    {"round_trip", is_same}}
            << '\n';
  return is_same;
}

}  // namespace

int main() {
  const Batch batch = stencil_batch();
  bool is_same = measure(
      "json", batch, [](const Batch& from) { return to_json(from).dump(); },
      [](const std::string& text) { return batch_from(Json::parse(text)); });
  is_same &= measure(
      "cbor", batch, [](const Batch& from) { return Json::to_cbor(to_json(from)); },
      [](const std::vector<std::uint8_t>& bytes) { return batch_from(Json::from_cbor(bytes)); });
  is_same &= measure(
      "messagepack", batch, [](const Batch& from) { return Json::to_msgpack(to_json(from)); },
      [](const std::vector<std::uint8_t>& bytes) { return batch_from(Json::from_msgpack(bytes)); });
  const Request request = batch;
  is_same &= measure(
      "binary", batch, [&](const Batch&) { return encode(request); },
      [](const Frames& frames) { return std::get<Batch>(decode_request(frames)); });
  return is_same ? 0 : 1;
}
