// SPDX-License-Identifier: BSD-3-Clause
// Answers what view_test.py asks about NumPy's own views, one question a line:
//   strides DTYPE EXTENTS | facts VIEW BASE_BYTES | form VIEW DTYPE EXTENTS | pair VIEW VIEW
// where EXTENTS = n e1 ... en and VIEW = DTYPE OFFSET EXTENTS s1 ... sn.
#include <iostream>
#include <string>

#include "protocol/error.hpp"
#include "protocol/view.hpp"
#include "tests/protocol/by_name.hpp"

namespace {

using namespace gamelan::protocol;

Dtype read_dtype() {
  std::string name;
  std::cin >> name;
  return dtype_by_name(name).value();
}

Shape read_numbers(std::size_t count) {
  Shape numbers(count);
  for (auto& number : numbers) std::cin >> number;
  return numbers;
}

Shape read_extents() {
  std::size_t dims = 0;
  std::cin >> dims;
  return read_numbers(dims);
}

View read_view() {
  View view{1, read_dtype(), 0, {}, {}};
  std::cin >> view.offset;
  view.extents = read_extents();
  view.strides = read_numbers(view.extents.size());
  return view;
}

void print(const Shape& numbers) {
  for (const auto number : numbers) std::cout << ' ' << number;
}

bool is_valid(const View& view, std::int64_t base_bytes, bool is_writable) {
  try {
    validate(view, base_bytes, is_writable);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void answer(const std::string& question) {
  if (question == "strides") {
    const Dtype dtype = read_dtype();
    print(contiguous_strides(read_extents(), size_of(dtype)));
  } else if (question == "facts") {
    const View view = read_view();
    std::int64_t base_bytes = 0;
    std::cin >> base_bytes;
    const ByteRange range = byte_range(view);
    std::cout << is_contiguous(view) << ' ' << range.first << ' ' << range.last << ' '
              << element_count(view.extents) << ' ' << is_valid(view, base_bytes, false) << ' '
              << is_valid(view, base_bytes, true);
  } else if (question == "form") {
    const View view = read_view();
    const Dtype dtype = read_dtype();
    const auto form = axis_wise(view, read_extents(), dtype);
    if (!form) {
      std::cout << "none";
      return;
    }
    for (const AxisMap& axis : form->axes)
      std::cout << axis.base_axis << ' ' << axis.start << ' ' << axis.step << ' ';
    print(form->fixed);
  } else {
    const View left = read_view();
    const View right = read_view();
    std::cout << may_overlap(left, right) << ' ' << may_overlap(right, left) << ' '
              << same_elements(left, right);
  }
}

}  // namespace

int main() {
  std::string question;
  while (std::cin >> question) {
    answer(question);
    std::cout << '\n';
  }
}
