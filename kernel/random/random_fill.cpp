// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/random/random_fill.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/operand.hpp"
#include "kernel/random/random_words.hpp"
#include "protocol/distributions.hpp"
#include "protocol/error.hpp"
#include "protocol/philox.hpp"

namespace gamelan::kernel {

using protocol::Op;
namespace philox = protocol::philox;

namespace {

struct Stream {
  std::uint64_t key, offset;
};

template <class T>
T number(PyObject* object, protocol::Dtype dtype) {
  const protocol::Scalar scalar = to_scalar(object, dtype);
  T value;
  std::memcpy(&value, scalar.bytes.data(), sizeof value);
  return value;
}

/// Each element from what is drawn for it, many at once.
template <class Drawn, class T, class Make>
void fill_from(Stream stream, std::span<T> out, Make make) {
  Drawn drawn;
  for (std::size_t done = 0; done < out.size(); done += Drawn::count) {
    drawn.draw(stream.key, stream.offset + done);
    const auto count = std::min(Drawn::count, out.size() - done);
    for (std::size_t j = 0; j < count; ++j) out[done + j] = make(drawn, j);
  }
}

philox::Words words_of(const RandomWords& drawn, std::size_t j) { return {drawn.one[j], drawn.two[j]}; }

template <class T>
void fill_floats(std::span<T> out, Op op, Stream stream, T a, T b) {
  if (op == Op::random_normal)
    fill_from<RandomNormals>(stream, out, [&](const RandomNormals& drawn, std::size_t j) {
      return a + b * static_cast<T>(drawn.values[j]);
    });
  else
    fill_from<RandomWords>(stream, out, [&](const RandomWords& drawn, std::size_t j) {
      if constexpr (std::is_same_v<T, double>)
        return a + (b - a) * philox::uniform_double(words_of(drawn, j));
      else
        return a + (b - a) * philox::uniform_float(words_of(drawn, j));
    });
}

template <class T>
void fill_integers(std::span<T> out, Stream stream, T low, T high) {
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  fill_from<RandomWords>(stream, out, [&](const RandomWords& drawn, std::size_t j) {
    return static_cast<T>(static_cast<std::uint64_t>(low) + philox::below(words_of(drawn, j), range));
  });
}

}  // namespace

void random_fill(PyArrayObject* array, Op op, std::uint64_t key, std::uint64_t offset, PyObject* a,
                 PyObject* b) {
  const auto dtype = dtype_of(PyArray_DESCR(array));
  if (!dtype) refuse_dtype(PyArray_DESCR(array));
  const Stream stream{key, offset};
  const auto count = static_cast<std::size_t>(PyArray_SIZE(array));
  const auto fill = [&]<class T>(T) {
    const std::span<T> out(static_cast<T*>(PyArray_DATA(array)), count);
    const T first = number<T>(a, *dtype), second = number<T>(b, *dtype);
    if constexpr (std::is_floating_point_v<T>)
      fill_floats(out, op, stream, first, second);
    else
      fill_integers(out, stream, first, second);
  };
  const bool is_integer_op = op == Op::random_integers;
  switch (*dtype) {
    case protocol::Dtype::float64:
      if (!is_integer_op) return fill(double{});
      break;
    case protocol::Dtype::float32:
      if (!is_integer_op) return fill(float{});
      break;
    case protocol::Dtype::int8:
      if (is_integer_op) return fill(std::int8_t{});
      break;
    case protocol::Dtype::uint8:
      if (is_integer_op) return fill(std::uint8_t{});
      break;
    case protocol::Dtype::int16:
      if (is_integer_op) return fill(std::int16_t{});
      break;
    case protocol::Dtype::uint16:
      if (is_integer_op) return fill(std::uint16_t{});
      break;
    case protocol::Dtype::int32:
      if (is_integer_op) return fill(std::int32_t{});
      break;
    case protocol::Dtype::uint32:
      if (is_integer_op) return fill(std::uint32_t{});
      break;
    case protocol::Dtype::int64:
      if (is_integer_op) return fill(std::int64_t{});
      break;
    case protocol::Dtype::uint64:
      if (is_integer_op) return fill(std::uint64_t{});
      break;
    case protocol::Dtype::bool_:
    case protocol::Dtype::float16:
    case protocol::Dtype::complex64:
    case protocol::Dtype::complex128:
      break;
  }
  throw protocol::Error(protocol::ErrorKind::type,
                        "[random] no random numbers of dtype " + std::string(protocol::info(*dtype).name));
}

void draw_fill(PyArrayObject* array, int distribution, std::uint64_t key, std::uint64_t offset,
               std::span<PyArrayObject* const> parameters) {
  const bool is_known = distribution >= 0 && distribution < protocol::distribution_count();
  if (!is_known ||
      parameters.size() != static_cast<std::size_t>(protocol::distribution(distribution).parameters))
    throw protocol::Error(protocol::ErrorKind::value, "[random] no such distribution of so many parameters");
  const auto count = PyArray_SIZE(array);
  std::vector<const double*> addresses;
  std::vector<std::int64_t> steps;
  for (PyArrayObject* parameter : parameters) {
    const auto size = PyArray_SIZE(parameter);
    if (PyArray_TYPE(parameter) != NPY_DOUBLE || !PyArray_IS_C_CONTIGUOUS(parameter) ||
        (size != 1 && size != count))
      throw protocol::Error(protocol::ErrorKind::value, "[random] a parameter does not fit the result");
    addresses.push_back(static_cast<const double*>(PyArray_DATA(parameter)));
    steps.push_back(size == 1 ? 0 : 1);
  }
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_IS_C_CONTIGUOUS(array))
    throw protocol::Error(protocol::ErrorKind::type, "[random] the result is no contiguous array of float64");
  protocol::draw_row(distribution, random_level(), key, offset, addresses, steps,
                     {static_cast<double*>(PyArray_DATA(array)), static_cast<std::size_t>(count)});
}

}  // namespace gamelan::kernel
