// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/short_header.hpp"

#include <nlohmann/json.hpp>

namespace gamelan::protocol {

std::string bounded(const std::string& text) {
  return text.size() <= max_text_bytes ? text : text.substr(0, max_text_bytes) + "...";
}

ShortHeader::ShortHeader(const char* type, std::uint64_t seq)
    : text_(std::string("{\"type\":\"") + type + "\",\"seq\":" + std::to_string(seq)) {}

void ShortHeader::put(const char* name, std::uint64_t number) {
  if (number != 0) put_json(name, std::to_string(number));
}

void ShortHeader::put(const char* name, const std::string& text) {
  using Json = nlohmann::json;
  if (!text.empty()) put_json(name, Json(bounded(text)).dump(-1, ' ', false, Json::error_handler_t::replace));
}

void ShortHeader::put_json(const char* name, const std::string& value) {
  ((text_ += ",\"") += name) += "\":";
  text_ += value;
}

}  // namespace gamelan::protocol
