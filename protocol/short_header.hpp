// SPDX-License-Identifier: BSD-3-Clause
// The header of what goes back and forth with every look, batches and replies: a JSON object of a type, a
// number and few other fields, because what has its default is left out. Written without a document in
// between, which would take a twentieth of a look.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace gamelan::protocol {

/// Longest message or client name in a header; JSON may need six bytes for one, and a header must stay under
/// its limit.
inline constexpr std::size_t max_text_bytes = 64 * 1024;
/// The text, or its begin and "..." where it is longer.
std::string bounded(const std::string& text);

class ShortHeader {
 public:
  ShortHeader(const char* type, std::uint64_t seq);

  /// A number whose default is 0.
  void put(const char* name, std::uint64_t number);
  /// Text whose default is none, bounded. What is not UTF-8 (of a file name, perhaps) is replaced.
  void put(const char* name, const std::string& text);
  /// A value that is JSON already.
  void put_json(const char* name, const std::string& value);

  std::string text() && { return std::move(text_ += '}'); }

 private:
  std::string text_;
};

}  // namespace gamelan::protocol
