// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/header_text.hpp"

namespace gamelan::protocol {

constexpr int max_depth = 4;

std::string bounded(const std::string& text) {
  return text.size() <= max_text_bytes ? text : text.substr(0, max_text_bytes) + "...";
}

bool is_shallow(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (in_string) {
      if (letter == '\\') ++at;
      if (letter == '"') in_string = false;
    } else if (letter == '"') {
      in_string = true;
    } else if (letter == '{' || letter == '[') {
      if (++depth > max_depth) return false;
    } else if (letter == '}' || letter == ']') {
      --depth;
    }
  }
  return true;
}

ShortHeader::ShortHeader(const char* type, std::uint64_t seq)
    : text_(std::string("{\"type\":\"") + type + "\",\"seq\":" + std::to_string(seq)) {}

void ShortHeader::put(const char* name, std::uint64_t number) {
  if (number != 0) put_json(name, std::to_string(number));
}

void ShortHeader::put_json(const char* name, const std::string& value) {
  ((text_ += ",\"") += name) += "\":";
  text_ += value;
}

}  // namespace gamelan::protocol
