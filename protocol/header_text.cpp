// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/header_text.hpp"

#include <charconv>
#include <system_error>

namespace gamelan::protocol {

constexpr int max_depth = 4;
constexpr std::size_t most_numbers = 16;  // a batch has nine

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

namespace {

/// Takes `expected` from the begin of a text. False, and nothing is taken, where it begins otherwise.
bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

/// Takes a name of letters and underscores, with the quotes around it; empty where there is none.
std::string_view take_name(std::string_view& text) {
  if (!take(text, "\"")) return {};
  const auto length = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (length == text.npos || text[length] != '"') return {};
  const auto name = text.substr(0, length);
  text.remove_prefix(length + 1);
  return name;
}

std::optional<std::uint64_t> take_natural(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || (length > 1 && text[0] == '0')) return std::nullopt;  // 007 is no JSON
  text.remove_prefix(length);
  return number;
}

}  // namespace

std::optional<ShortFields> ShortFields::of(std::string_view text) {
  ShortFields fields;
  if (!take(text, "{\"type\":") || (fields.type = take_name(text)).empty()) return std::nullopt;
  fields.numbers.reserve(most_numbers);
  while (take(text, ",")) {
    const auto name = take_name(text);
    if (fields.numbers.size() == most_numbers) return std::nullopt;  // each is compared with all before it
    if (name.empty() || name == "type" || !take(text, ":") || fields.find(name)) return std::nullopt;
    const auto number = take_natural(text);
    if (!number) return std::nullopt;
    fields.numbers.emplace_back(name, *number);
  }
  if (text != "}") return std::nullopt;
  return fields;
}

std::optional<std::uint64_t> ShortFields::find(std::string_view name) const {
  for (const auto& [each, number] : numbers)
    if (each == name) return number;
  return std::nullopt;
}

}  // namespace gamelan::protocol
