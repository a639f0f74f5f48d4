// SPDX-License-Identifier: BSD-3-Clause
// Random operands of commands that a decoder accepts: views, numbers, texts, results.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "protocol/check.hpp"
#include "random_views.hpp"

namespace gamelan::test {

inline protocol::Dtype random_dtype(Random& random, protocol::Types types = protocol::Types::all) {
  for (;;) {
    const auto dtype = static_cast<protocol::Dtype>(random.number(0, protocol::dtype_count - 1));
    if (protocol::admits(types, dtype)) return dtype;
  }
}

inline std::string random_text(Random& random) {
  static const std::vector<std::string> pieces{"cell", " ", "\"",   "\\",        "\n",
                                               "{[",   "λ", "\x01", "/tmp/x.py", "\u20ac"};
  std::string text;
  for (std::int64_t count = random.number(0, 6); count > 0; --count) {
    text += pieces[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(pieces.size()) - 1))];
  }
  return text;
}

inline protocol::Bytes random_bytes(Random& random, std::size_t count, int largest = 255) {
  protocol::Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.number(0, largest));
  return bytes;
}

/// A view with these extents, read from some larger array, broadcast here and there.
inline protocol::View random_operand(Random& random, const protocol::Shape& extents, protocol::Dtype dtype) {
  protocol::View view = protocol::whole(static_cast<std::uint64_t>(random.number(1, 9)), dtype, extents);
  view.offset = 8 * random.number(0, 1000);
  for (auto& stride : view.strides) stride = random.chance(20) ? 0 : stride * random.number(1, 3);
  return view;
}

inline protocol::View random_operand(Random& random, const protocol::Shape& extents) {
  return random_operand(random, extents, random_dtype(random));
}

inline protocol::Scalar random_scalar(Random& random, protocol::Dtype dtype) {
  protocol::Scalar scalar{dtype, {}};
  for (std::size_t byte = 0; byte < size_of(scalar.dtype); ++byte) {
    scalar.bytes[byte] =
        static_cast<std::byte>(random.number(0, scalar.dtype == protocol::Dtype::bool_ ? 1 : 255));
  }
  return scalar;
}

inline protocol::Scalar random_scalar(Random& random) { return random_scalar(random, random_dtype(random)); }

inline protocol::View random_result(Random& random, const protocol::Shape& extents, bool creates,
                                    protocol::Dtype dtype) {
  protocol::View view = protocol::whole(static_cast<std::uint64_t>(random.number(1, 9)), dtype, extents);
  if (creates) return view;
  view.offset = 16 * random.number(0, 1000);
  for (auto& stride : view.strides) stride *= random.number(1, 3);
  return view;
}

inline protocol::View random_result(Random& random, const protocol::Shape& extents, bool creates) {
  return random_result(random, extents, creates, random_dtype(random));
}

}  // namespace gamelan::test
