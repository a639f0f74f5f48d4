// SPDX-License-Identifier: BSD-3-Clause
// Expands the op table into facts, and all tables of the protocol into one number by which two programs find
// out whether they have the same tables.
#include "protocol/ops.hpp"

#include <array>
#include <cstddef>

#include "protocol/dtype.hpp"

namespace gamelan::protocol {
namespace {

/// The result column of the binary rows, by name. A reduction has the result dtype of its fold (`any` and
/// `all`: bool).
namespace result_of {
#define BINARY(name, types, result, identity, traits, errors, doc, expr) \
  constexpr Result name = Result::result;
#include "protocol/ops.def"
}  // namespace result_of

constexpr std::array table{
#define NULLARY(name, types, doc, expr)                                                            \
  OpInfo{#name, RowKind::nullary, Types::types, Result::same, Trait::none, FloatRule::untold, doc, \
         2,     Op::name},
#define UNARY(name, types, result, traits, errors, doc, expr) \
  OpInfo{#name, RowKind::unary, Types::types, Result::result, traits, FloatRule::errors, doc, 1, Op::name},
#define BINARY(name, types, result, identity, traits, errors, doc, expr) \
  OpInfo{#name, RowKind::binary, Types::types, Result::result, traits, FloatRule::errors, doc, 2, Op::name},
#define TERNARY(name, types, doc, expr)                                                            \
  OpInfo{#name, RowKind::ternary, Types::types, Result::same, Trait::none, FloatRule::silent, doc, \
         3,     Op::name},
#define REDUCE(name, of, types, doc) \
  OpInfo{#name, RowKind::reduce, Types::types, result_of::of, Trait::none, FloatRule::untold, doc, 1, Op::of},
#define CALL(name, family, doc)                                                                  \
  OpInfo{#name, RowKind::call, Types::all,    Result::same, Trait::none, FloatRule::untold, doc, \
         -1,    Op::name,      Family::family},
#include "protocol/ops.def"
};

/// Every row as text, with its expression: an engine that computes something else under the same name must be
/// refused.
constexpr std::string_view text_of_tables =
#define NULLARY(name, types, doc, expr) "NULLARY|" #name "|" #types "|" doc "|" #expr "\n"
#define UNARY(name, types, result, traits, errors, doc, expr) \
  "UNARY|" #name "|" #types "|" #result "|" #traits "|" #errors "|" doc "|" #expr "\n"
#define BINARY(name, types, result, identity, traits, errors, doc, expr) \
  "BINARY|" #name "|" #types "|" #result "|" #identity "|" #traits "|" #errors "|" doc "|" #expr "\n"
#define TERNARY(name, types, doc, expr) "TERNARY|" #name "|" #types "|" doc "|" #expr "\n"
#define REDUCE(name, of, types, doc) "REDUCE|" #name "|" #of "|" #types "|" doc "\n"
#define CALL(name, family, doc) "CALL|" #name "|" #family "|" doc "\n"
#include "protocol/ops.def"
#define ERROR(kind, python_class, severity) "ERROR|" #kind "|" python_class "|" #severity "\n"
#include "protocol/errors.def"
#undef ERROR
#define DISTRIBUTION(name, parameters, formula) "DISTRIBUTION|" #name "|" #parameters "|" #formula "\n"
#include "protocol/distributions.def"
#undef DISTRIBUTION
    ;

/// FNV-1a, 64 bits. It only compares; it keeps nothing secret.
constexpr std::uint64_t hash(std::string_view text, std::uint64_t state) {
  for (const char letter : text) {
    state = (state ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return state;
}
constexpr std::uint64_t hash_of_tables = hash(text_of_tables, 0xcbf29ce484222325U);

}  // namespace

int op_count() { return static_cast<int>(table.size()); }

const OpInfo& info(Op op) { return table[static_cast<std::size_t>(op)]; }

bool is_irregular(Op op) { return info(op).family == Family::irregular || info(op).family == Family::file; }

bool is_of_file(Op op) { return info(op).family == Family::file; }

bool is_elementwise(Op op) {
  switch (info(op).kind) {
    case RowKind::nullary:
    case RowKind::unary:
    case RowKind::binary:
    case RowKind::ternary:
      return true;
    case RowKind::reduce:
    case RowKind::call:
      return false;
  }
  return false;
}

std::uint64_t fingerprint() {
  std::uint64_t state = hash_of_tables;
  for (int code = 0; code < dtype_count; ++code) {
    const DtypeInfo& row = info(static_cast<Dtype>(code));
    state = hash(row.name, state);
    state = hash(row.typestr, state);
  }
  return state;
}

}  // namespace gamelan::protocol
