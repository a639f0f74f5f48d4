// SPDX-License-Identifier: BSD-3-Clause
// Expands the op table (ops.def) into an enum and facts about each op. Both sides compile it; with
// `fingerprint` they find out whether they compiled the same table.
#pragma once
#include <cstdint>
#include <string_view>

namespace gamelan::protocol {

/// The rows of the op table. The numbers are sent in messages; `fingerprint` guards them.
enum class Op : std::uint16_t {
#define NULLARY(name, types, doc, expr) name,
#define UNARY(name, types, result, traits, errors, doc, expr) name,
#define BINARY(name, types, result, identity, traits, errors, doc, expr) name,
#define TERNARY(name, types, doc, expr) name,
#define REDUCE(name, of, types, doc) name,
#define CALL(name, family, doc) name,
#include "protocol/ops.def"
};

enum class RowKind : std::uint8_t { nullary, unary, binary, ternary, reduce, call };
/// For which loop dtypes an op is compiled: categories of the array-API standard.
enum class Types : std::uint8_t {
  all,
  boolean,
  integer,
  integer_or_bool,
  numeric,
  real,
  real_fp,
  floating,
  complex_fp
};
/// How the result dtype follows from the loop dtype.
enum class Result : std::uint8_t { same, boolean, real_of };

enum Trait : unsigned { none = 0, commutative = 1, associative = 2, transcendental = 4 };

/// Which floating-point errors NumPy reports for an op, and how the engine finds them: by the processor's
/// flags after its loop, or by operands and results where the flags report too much
/// (engine/tiles/float_classes.cpp).
enum class FloatRule : std::uint8_t {
  untold,           ///< nothing is reported; flags may be raised all the same
  silent,           ///< nothing is reported and no flag is raised
  modulus,          ///< real: silent; complex: as `magnitude` of the parts
  arithmetic,       ///< flags: overflow, underflow, invalid
  real_arithmetic,  ///< the same; complex: nothing is reported
  quotient,         ///< flags, also division by zero; complex: division by zero, found by operands
  reciprocal,       ///< flags, also division by zero; complex: nothing is reported
  logarithm,        ///< from here on by operands and results, real only: poles, ends of the domain, overflow
  logarithm_plus_1,
  exponential,
  growth,
  periodic,
  arc,
  area_cosine,
  area_tangent,
  power,
  floor_quotient,
  modulo,
  magnitude,
};

/// Where the elements of a CALL go: to places that the shapes say (regular), to places that only data say
/// (irregular), or to a file.
enum class Family : std::uint8_t { none, regular, irregular, file };

/// The columns of a row of the op table, except the expression.
struct OpInfo {
  std::string_view name;
  RowKind kind;
  Types types;
  Result result;
  unsigned traits;
  FloatRule errors;
  std::string_view doc;
  int arity;  ///< number of array or scalar operands; -1 when it varies (CALL)
  Op of;      ///< REDUCE: the binary op it folds with; otherwise itself
  Family family = Family::none;
};

int op_count();
const OpInfo& info(Op op);   ///< defined for every value of the enum
bool is_elementwise(Op op);  ///< nullary, unary, binary or ternary: may be fused
bool is_irregular(Op op);    ///< CALL whose elements go to places that only data say: take, put, ...
bool is_of_file(Op op);      ///< read_file and the like: irregular, with a path as payload
/// Hash of every row of the op table and of the dtype and error tables. Kernel and engine refuse each other
/// when their hashes differ.
std::uint64_t fingerprint();

}  // namespace gamelan::protocol
