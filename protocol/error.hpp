// SPDX-License-Identifier: BSD-3-Clause
// The one exception of the C++ rooms. Its kind names the Python class that the user sees. Form of the
// message: "[op] what was wrong: got X, expected Y". It is thrown to end a batch or a request, never for
// expected outcomes.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gamelan::protocol {

/// The rows of errors.def.
enum class ErrorKind : std::uint8_t {
#define ERROR(kind, python_class, severity) kind,
#include "protocol/errors.def"
#undef ERROR
};
enum class Severity : std::uint8_t { user, lost, internal };

/// Name of the Python exception class for a kind ("ValueError", "EngineLostError").
std::string_view python_class(ErrorKind kind);
std::string_view name(ErrorKind kind);
Severity severity(ErrorKind kind);
/// The kind with this name in messages; `internal` when there is none.
ErrorKind error_kind_by_name(std::string_view name);

/// An error of a certain kind, with a message for the user.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::int64_t command = -1)
      : std::runtime_error(message), kind_(kind), command_(command) {}
  ErrorKind kind() const { return kind_; }
  /// Index in the batch of the command at fault; -1 when no command is at fault.
  std::int64_t command() const { return command_; }

 private:
  ErrorKind kind_;
  std::int64_t command_;
};

}  // namespace gamelan::protocol
