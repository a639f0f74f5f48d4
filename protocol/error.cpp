// SPDX-License-Identifier: BSD-3-Clause
// Expands errors.def into the facts of each error kind.
#include "protocol/error.hpp"

#include <array>
#include <cstddef>

namespace gamelan::protocol {
namespace {

struct ErrorInfo {
  std::string_view name;
  std::string_view python_class;
  Severity severity;
};

constexpr std::array table{
#define ERROR(kind, python_class, severity) ErrorInfo{#kind, python_class, Severity::severity},
#include "protocol/errors.def"
#undef ERROR
};

const ErrorInfo& row(ErrorKind kind) { return table[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view python_class(ErrorKind kind) { return row(kind).python_class; }
std::string_view name(ErrorKind kind) { return row(kind).name; }
Severity severity(ErrorKind kind) { return row(kind).severity; }

ErrorKind error_kind_by_name(std::string_view name) {
  for (std::size_t kind = 0; kind < table.size(); ++kind) {
    if (table[kind].name == name) return static_cast<ErrorKind>(kind);
  }
  return ErrorKind::internal;
}

}  // namespace gamelan::protocol
