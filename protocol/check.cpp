// SPDX-License-Identifier: BSD-3-Clause
// The rules for the rows of ops.def, one function per row kind. They see shapes, dtypes and counts only;
// whether arrays exist is not known here.
#include "protocol/check.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string>

#include "protocol/chosen_layout.hpp"

namespace gamelan::protocol {
namespace {

[[noreturn]] void reject(const Command& command, const std::string& what) {
  throw Error(ErrorKind::protocol, "[" + std::string(info(command.op).name) + "] " + what);
}

void require(bool condition, const Command& command, const char* what) {
  if (!condition) reject(command, what);
}

/// A byte that is neither 0 nor 1 is not a bool; in C++ reading it as one is undefined.
bool are_bools(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte <= std::byte{1}; });
}

const View& view_operand(const Command& command, std::size_t index) {
  const View* view = std::get_if<View>(&command.in[index]);
  require(view != nullptr, command, "got a scalar, expected an array operand");
  return *view;
}

void check_elementwise(const Command& command) {
  for (const Operand& operand : command.in) {
    const View* view = std::get_if<View>(&operand);
    if (view != nullptr && view->extents != command.out.extents) {
      reject(command, "operand is not broadcast to the extents of the result");
    }
  }
}

/// `in` are the two scalars of the formula, `ints` the key and offset of the random ones.
void check_nullary(const Command& command) {
  for (const Operand& operand : command.in) {
    require(std::holds_alternative<Scalar>(operand), command, "got an array operand, expected scalars");
  }
}

/// `ints` = reduced axes of in[0], ascending; out has the kept ones in order.
void check_reduce(const Command& command) {
  const View& in = view_operand(command, 0);
  const auto& axes = command.ints;
  const auto dims = static_cast<std::int64_t>(in.extents.size());
  require(std::is_sorted(axes.begin(), axes.end(), std::less_equal<>()), command, "axes are not ascending");
  require(axes.empty() || (axes.front() >= 0 && axes.back() < dims), command, "axis out of range");
  Shape kept;
  auto reduced = axes.begin();
  for (std::int64_t axis = 0; axis < dims; ++axis) {
    if (reduced != axes.end() && *reduced == axis) {
      ++reduced;
    } else {
      kept.push_back(in.extents[static_cast<std::size_t>(axis)]);
    }
  }
  require(kept == command.out.extents, command, "extents of the result are not those of the kept axes");
}

void check_constant(const Command& command, const std::vector<Bytes>& payloads, bool is_planned_only) {
  require(command.in.empty(), command, "got operands, expected none");
  require(command.payload >= 0, command, "no payload");
  const Bytes& payload = payloads[static_cast<std::size_t>(command.payload)];
  if (is_planned_only && payload.empty()) return;
  const auto elements = static_cast<std::size_t>(element_count(command.out.extents));
  if (lent_by(payload, elements, command.loop)) return;
  require(payload.size() / size_of(command.loop) == elements && payload.size() % size_of(command.loop) == 0,
          command, "payload is not as long as the result");
  require(command.loop != Dtype::bool_ || are_bools(payload), command,
          "payload holds bytes that are no bool");
}

/// (..., m, k) times (..., k, n) into (..., m, n).
void check_matmul(const Command& command) {
  require(command.in.size() == 2, command, "expected two operands");
  const Shape& left = view_operand(command, 0).extents;
  const Shape& right = view_operand(command, 1).extents;
  const Shape& out = command.out.extents;
  const std::size_t dims = out.size();
  require(dims >= 2 && left.size() == dims && right.size() == dims, command,
          "operands and result differ in dimensions");
  const bool same_lead = std::equal(out.begin(), out.end() - 2, left.begin()) &&
                         std::equal(out.begin(), out.end() - 2, right.begin());
  require(same_lead && left[dims - 2] == out[dims - 2] && right[dims - 1] == out[dims - 1] &&
              left[dims - 1] == right[dims - 2],
          command, "extents do not fit together");
}

void check_redistribute(const Command& command) {
  require(command.in.size() == 1 && command.creates && command.loop == command.out.dtype, command,
          "expected an array or a number, and a new result of the same dtype");
  check_elementwise(command);
  const auto layout = chosen_layout(command.ints);
  require(layout.has_value() && element_count(layout->extents) == element_count(command.out.extents), command,
          "the integers describe no distribution of the result");
}

/// Operands are whole arrays, of the dtypes and dimensions that Global Arrays supports, and numbers.
void check_routine(const Command& command, const std::vector<Bytes>& payloads) {
  constexpr std::size_t longest_name = 128, sum_digits = 8, most_ga_dims = 7;
  require(command.payload >= 0, command, "no name");
  Bytes name = payloads[static_cast<std::size_t>(command.payload)];
  const auto end = std::find(name.begin(), name.end(), std::byte{'@'});  // and the library's checksum
  if (end != name.end()) {
    require(std::distance(end, name.end()) == 1 + sum_digits &&
                std::all_of(end + 1, name.end(),
                            [](std::byte byte) { return std::isxdigit(static_cast<unsigned char>(byte)); }),
            command, "the name ends in no checksum");
    name.erase(end, name.end());
  }
  require(!name.empty() && name.size() <= longest_name &&
              std::all_of(name.begin(), name.end(),
                          [](std::byte byte) {
                            const auto c = static_cast<char>(byte);
                            return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                   (c >= 'A' && c <= 'Z');
                          }),
          command, "the name is no identifier");
  require(!command.creates && command.ints.size() == 1, command,
          "expected an existing array, and how many are written");
  const auto check_array = [&](const View& view) {
    require(view.offset == 0 && is_contiguous(view) && element_count(view.extents) > 0, command,
            "an array is not whole");
    require(!view.extents.empty() && view.extents.size() <= most_ga_dims, command,
            "Global Arrays have 1 to 7 dimensions");
    const auto& dtype = info(view.dtype);
    const bool has_ga_type = dtype.kind == 'i'   ? size_of(view.dtype) >= 4
                             : dtype.kind == 'f' ? size_of(view.dtype) >= 4
                                                 : dtype.kind == 'c';
    require(has_ga_type, command, "Global Arrays have no arrays of this dtype");
  };
  check_array(command.out);
  for (const Operand& operand : command.in) {
    if (const View* view = std::get_if<View>(&operand))
      check_array(*view);
    else
      require(std::get<Scalar>(operand).dtype == Dtype::float64, command, "a number is no float64");
  }
  require(command.ints[0] >= 0 && command.ints[0] <= 1, command, "it would write more than its first array");
}

void check_call(const Command& command, const std::vector<Bytes>& payloads, bool is_planned_only) {
  if (command.op == Op::redistribute) return check_redistribute(command);
  if (command.op == Op::constant) return check_constant(command, payloads, is_planned_only);
  if (command.op == Op::matmul) return check_matmul(command);
  if (command.op == Op::routine) return check_routine(command, payloads);
  if (is_of_file(command.op)) return check_file(command, payloads);
  if (is_irregular(command.op)) return check_irregular(command);
  // A new row of ops.def needs its rule here. Until it has one, its commands are refused.
  reject(command, "this op has no rule in check.cpp");
}

void check_operand(const Command& command, const Operand& operand) {
  if (const View* view = std::get_if<View>(&operand)) {
    require(view->base != 0, command, "operand without an array");
    validate(*view, max_view_bytes, false);
    return;
  }
  const Scalar& scalar = std::get<Scalar>(operand);
  require(scalar.dtype != Dtype::bool_ || scalar.bytes[0] <= std::byte{1}, command, "scalar is no bool");
}

}  // namespace

bool admits(Types types, Dtype loop) {
  const char kind = info(loop).kind;
  const bool is_integer = kind == 'i' || kind == 'u';
  switch (types) {
    case Types::all:
      return true;
    case Types::boolean:
      return kind == 'b';
    case Types::integer:
      return is_integer;
    case Types::integer_or_bool:
      return is_integer || kind == 'b';
    case Types::numeric:
      return kind != 'b';
    case Types::real:
      return is_integer || kind == 'f';
    case Types::real_fp:
      return kind == 'f';
    case Types::floating:
      return kind == 'f' || kind == 'c';
    case Types::complex_fp:
      return kind == 'c';
  }
  return false;
}

void check(const Command& command, const std::vector<Bytes>& payloads, bool is_planned_only) {
  const OpInfo& row = info(command.op);
  if (!admits(row.types, command.loop)) {
    reject(command, "no loop for dtype " + std::string(info(command.loop).name));
  }
  require(command.in.size() <= max_operands, command, "too many operands");
  if (row.arity >= 0 && command.in.size() != static_cast<std::size_t>(row.arity)) {
    reject(command, "wrong number of operands: got " + std::to_string(command.in.size()) + ", expected " +
                        std::to_string(row.arity));
  }
  require(command.payload >= -1 && command.payload < static_cast<std::int64_t>(payloads.size()), command,
          "payload index out of range");
  require(command.payload == -1 || command.op == Op::constant || command.op == Op::routine ||
              is_of_file(command.op),
          command, "got a payload, expected none");

  require(command.out.base != 0, command, "result without an array");
  validate(command.out, max_view_bytes, true);
  require(!command.creates || (command.out.offset == 0 && is_contiguous(command.out)), command,
          "a new array is written whole and in C order");
  for (const Operand& operand : command.in) check_operand(command, operand);

  switch (row.kind) {
    case RowKind::nullary:
      return check_nullary(command);
    case RowKind::unary:
    case RowKind::binary:
    case RowKind::ternary:
      return check_elementwise(command);
    case RowKind::reduce:
      return check_reduce(command);
    case RowKind::call:
      return check_call(command, payloads, is_planned_only);
  }
}

static_assert(sizeof(LentBytes) < least_lent_bytes);

std::vector<std::size_t> payloads_to_lend(const Batch& batch) {
  const auto is_large = [](const Bytes& payload) { return payload.size() >= least_lent_bytes; };
  if (std::none_of(batch.payloads.begin(), batch.payloads.end(), is_large)) return {};
  std::vector<bool> may_be_lent;
  for (const Bytes& payload : batch.payloads) may_be_lent.push_back(is_large(payload));
  for (const Command& command : batch.commands) {
    const auto payload = static_cast<std::size_t>(command.payload);  // the largest number where there is none
    if (payload < may_be_lent.size() && command.op != Op::constant) may_be_lent[payload] = false;
  }
  std::vector<std::size_t> payloads;
  for (std::size_t payload = 0; payload < may_be_lent.size(); ++payload)
    if (may_be_lent[payload]) payloads.push_back(payload);
  return payloads;
}

Bytes lent_payload(const LentBytes& place) {
  Bytes payload(sizeof place);
  std::memcpy(payload.data(), &place, sizeof place);
  return payload;
}

std::optional<LentBytes> lent_by(const Bytes& payload, std::size_t elements, Dtype dtype) {
  LentBytes place;
  if (payload.size() != sizeof place) return std::nullopt;
  std::memcpy(&place, payload.data(), sizeof place);
  const bool is_lent = place.bytes >= least_lent_bytes && place.offset % lent_alignment == 0 &&
                       place.bytes % size_of(dtype) == 0 && place.bytes / size_of(dtype) == elements;
  return is_lent ? std::optional(place) : std::nullopt;
}

}  // namespace gamelan::protocol
