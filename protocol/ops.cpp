// SPDX-License-Identifier: BSD-3-Clause
// Expands the op table into facts, and every table of the protocol into one number that proves two programs
// agree.
#include "protocol/ops.hpp"

#include <array>
#include <cstddef>
#include <unordered_map>

#include "protocol/dtype.hpp"

namespace gamelan::protocol {
namespace {

/// The result column of the binary rows by name: a reduction gives what its fold gives (`any` and `all`:
/// bool).
namespace result_of {
#define BINARY(name, types, result, identity, traits, doc, expr) constexpr Result name = Result::result;
#include "protocol/ops.def"
}  // namespace result_of

constexpr std::array table{
#define NULLARY(name, types, doc, expr) \
  OpInfo{#name, RowKind::nullary, Types::types, Result::same, Trait::none, doc, 2, Op::name},
#define UNARY(name, types, result, traits, doc, expr) \
  OpInfo{#name, RowKind::unary, Types::types, Result::result, traits, doc, 1, Op::name},
#define BINARY(name, types, result, identity, traits, doc, expr) \
  OpInfo{#name, RowKind::binary, Types::types, Result::result, traits, doc, 2, Op::name},
#define TERNARY(name, types, doc, expr) \
  OpInfo{#name, RowKind::ternary, Types::types, Result::same, Trait::none, doc, 3, Op::name},
#define REDUCE(name, of, types, doc) \
  OpInfo{#name, RowKind::reduce, Types::types, result_of::of, Trait::none, doc, 1, Op::of},
#define CALL(name, doc) \
  OpInfo{#name, RowKind::call, Types::all, Result::same, Trait::none, doc, -1, Op::name},
#include "protocol/ops.def"
};

/// Every row as text, expressions included: an engine that computes something else under the same name is a
/// stranger.
constexpr std::string_view text_of_tables =
#define NULLARY(name, types, doc, expr) "NULLARY|" #name "|" #types "|" doc "|" #expr "\n"
#define UNARY(name, types, result, traits, doc, expr) \
  "UNARY|" #name "|" #types "|" #result "|" #traits "|" doc "|" #expr "\n"
#define BINARY(name, types, result, identity, traits, doc, expr) \
  "BINARY|" #name "|" #types "|" #result "|" #identity "|" #traits "|" doc "|" #expr "\n"
#define TERNARY(name, types, doc, expr) "TERNARY|" #name "|" #types "|" doc "|" #expr "\n"
#define REDUCE(name, of, types, doc) "REDUCE|" #name "|" #of "|" #types "|" doc "\n"
#define CALL(name, doc) "CALL|" #name "|" doc "\n"
#include "protocol/ops.def"
#define ERROR(kind, python_class, severity) "ERROR|" #kind "|" python_class "|" #severity "\n"
#include "protocol/errors.def"
#undef ERROR
#define DISTRIBUTION(name, parameters, formula) "DISTRIBUTION|" #name "|" #parameters "|" #formula "\n"
#include "protocol/distributions.def"
#undef DISTRIBUTION
    ;

/// FNV-1a, 64 bits. Not a secret, only a comparison.
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

std::optional<Op> op_by_name(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, Op> built;
    for (const OpInfo& row : table) built.emplace(row.name, static_cast<Op>(&row - table.data()));
    return built;
  }();
  const auto found = index.find(name);
  if (found == index.end()) return std::nullopt;
  return found->second;
}

bool is_irregular(Op op) {
  return info(op).kind == RowKind::call && op != Op::constant && op != Op::matmul && op != Op::redistribute;
}

bool is_of_file(Op op) {
  return op == Op::read_file || op == Op::write_file || op == Op::read_hdf5 || op == Op::read_zarr;
}

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
