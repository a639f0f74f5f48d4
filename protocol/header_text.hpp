// SPDX-License-Identifier: BSD-3-Clause
// The text of headers: what bounds it, and how those of batches and replies are written and read, which go
// back and forth with every look.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gamelan::protocol {

/// Longest message or client name in a header; JSON may need six bytes for one, and a header must stay under
/// its limit.
inline constexpr std::size_t max_text_bytes = 64 * 1024;
/// The text, or its begin and "..." where it is longer.
std::string bounded(const std::string& text);

/// True when brackets outside strings are nested at most four times, which bounds the recursion of a parser.
bool is_shallow(std::string_view text);

/// A JSON object of a type, a number and few other fields: what has its default is left out. It is written
/// without a document in between, which would take a twentieth of a look.
class ShortHeader {
 public:
  ShortHeader(const char* type, std::uint64_t seq);

  /// A number whose default is 0.
  void put(const char* name, std::uint64_t number);
  /// A value that is JSON already.
  void put_json(const char* name, const std::string& value);

  std::string text() && { return std::move(text_ += '}'); }

 private:
  std::string text_;
};

/// What a ShortHeader without JSON of its own says: the usual batch and the usual reply. Views of its text.
struct ShortFields {
  std::string_view type;
  std::vector<std::pair<std::string_view, std::uint64_t>> numbers;

  /// Reads exactly what ShortHeader writes; nullopt for every other text, which is a parser's business.
  static std::optional<ShortFields> of(std::string_view text);
  std::optional<std::uint64_t> find(std::string_view name) const;
};

}  // namespace gamelan::protocol
