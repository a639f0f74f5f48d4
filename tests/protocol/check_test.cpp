// SPDX-License-Identifier: BSD-3-Clause
// What a row of ops.def allows of a command, and the refusal of everything beside it.
#include "protocol/check.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "protocol/linalg.hpp"

namespace gamelan::protocol {
namespace {

/// The message of the refusal; empty when the command is well formed.
std::string refusal(const Command& command, const std::vector<Bytes>& payloads = {}) {
  try {
    check(command, payloads);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::protocol);
    return error.what();
  }
  return "";
}

#define EXPECT_REFUSED_FOR(reason, ...) \
  EXPECT_NE((__VA_ARGS__).find(reason), std::string::npos) << (__VA_ARGS__)

View array(Shape extents, Dtype dtype = Dtype::float64) { return whole(1, dtype, extents); }

Command make(Op op, Shape extents, std::vector<Operand> in, Dtype loop = Dtype::float64) {
  Command command;
  command.op = op;
  command.loop = loop;
  command.out = whole(2, loop, extents);
  command.in = std::move(in);
  return command;
}

/// `command` after a change.
Command but(Command command, const std::function<void(Command&)>& change) {
  change(command);
  return command;
}

const Command addition = make(Op::add, {2, 3}, {array({2, 3}), Scalar{}});

TEST(Check, elementwise_operands_have_the_extents_of_the_result) {
  EXPECT_EQ(refusal(addition), "");
  EXPECT_EQ(refusal(make(Op::where, {2}, {array({2}, Dtype::bool_), Scalar{}, array({2})})), "");
  EXPECT_REFUSED_FOR("broadcast", refusal(make(Op::add, {2, 3}, {array({3}), Scalar{}})));
  EXPECT_REFUSED_FOR("broadcast", refusal(make(Op::sqrt, {2}, {array({3})})));
}

TEST(Check, every_row_has_its_number_of_operands) {
  EXPECT_REFUSED_FOR("number of operands", refusal(make(Op::add, {2}, {array({2})})));
  EXPECT_REFUSED_FOR("number of operands", refusal(make(Op::sqrt, {2}, {})));
  EXPECT_REFUSED_FOR("number of operands", refusal(make(Op::where, {2}, {array({2}), array({2})})));
  EXPECT_REFUSED_FOR("too many operands", refusal(make(Op::matmul, {2}, std::vector<Operand>(65, Scalar{}))));
}

TEST(Check, every_row_has_its_loop_dtypes) {
  EXPECT_REFUSED_FOR("no loop for dtype int64", refusal(make(Op::sqrt, {2}, {array({2})}, Dtype::int64)));
  EXPECT_REFUSED_FOR("no loop", refusal(make(Op::floor, {2}, {array({2})}, Dtype::complex64)));
  EXPECT_REFUSED_FOR("no loop", refusal(make(Op::bitwise_and, {2}, {array({2}), Scalar{}})));
  EXPECT_REFUSED_FOR("no loop", refusal(make(Op::subtract, {2}, {array({2}), Scalar{}}, Dtype::bool_)));
  EXPECT_EQ(refusal(make(Op::invert, {2}, {array({2})}, Dtype::bool_)), "");
}

TEST(Check, categories_admit_what_their_names_say) {
  const struct {
    Types types;
    const char* kinds;
  } cases[] = {{Types::all, "biufc"},           {Types::boolean, "b"},    {Types::integer, "iu"},
               {Types::integer_or_bool, "biu"}, {Types::numeric, "iufc"}, {Types::real, "iuf"},
               {Types::real_fp, "f"},           {Types::floating, "fc"},  {Types::complex_fp, "c"}};
  for (const auto& row : cases) {
    for (int code = 0; code < dtype_count; ++code) {
      const auto dtype = static_cast<Dtype>(code);
      EXPECT_EQ(admits(row.types, dtype),
                std::string_view(row.kinds).find(info(dtype).kind) != std::string_view::npos)
          << row.kinds << ' ' << info(dtype).name;
    }
  }
}

TEST(Check, nullary_rows_take_scalars) {
  EXPECT_EQ(refusal(make(Op::sequence, {5}, {Scalar{}, Scalar{}})), "");
  EXPECT_REFUSED_FOR("scalars", refusal(make(Op::sequence, {5}, {Scalar{}, array({5})})));
}

TEST(Check, views_are_valid_and_have_a_base) {
  EXPECT_REFUSED_FOR("without an array", refusal(but(addition, [](Command& c) { c.out.base = 0; })));
  EXPECT_REFUSED_FOR("without an array",
                     refusal(but(addition, [](Command& c) { std::get<View>(c.in[0]).base = 0; })));
  EXPECT_REFUSED_FOR("outside",
                     refusal(but(addition, [](Command& c) { std::get<View>(c.in[0]).offset = -8; })));
  EXPECT_REFUSED_FOR("outside", refusal(but(addition, [](Command& c) { c.out.offset = max_view_bytes; })));
  EXPECT_REFUSED_FOR("share memory", refusal(but(addition, [](Command& c) { c.out.strides[0] = 0; })));
  EXPECT_EQ(refusal(but(addition, [](Command& c) { std::get<View>(c.in[0]).strides[0] = 0; })), "");
}

TEST(Check, a_new_array_is_written_whole) {
  const auto creating = [](const std::function<void(View&)>& change) {
    return but(addition, [&](Command& command) {
      command.creates = true;
      change(command.out);
    });
  };
  EXPECT_EQ(refusal(creating([](View&) {})), "");
  EXPECT_REFUSED_FOR("whole", refusal(creating([](View& out) { out.offset = 8; })));
  EXPECT_REFUSED_FOR("whole", refusal(creating([](View& out) { out.strides[0] = 48; })));
}

TEST(Check, bools_are_0_or_1) {
  Scalar scalar{Dtype::bool_, {}};
  scalar.bytes[0] = std::byte{2};
  EXPECT_REFUSED_FOR("bool", refusal(make(Op::add, {2}, {array({2}), scalar})));
  scalar.bytes[0] = std::byte{1};
  EXPECT_EQ(refusal(make(Op::add, {2}, {array({2}), scalar})), "");
}

TEST(Check, reductions_keep_the_axes_they_do_not_name) {
  const auto reduction = [](Shape from, std::vector<std::int64_t> axes, Shape kept) {
    return but(make(Op::sum, std::move(kept), {array(std::move(from))}), [&](Command& c) { c.ints = axes; });
  };
  EXPECT_EQ(refusal(reduction({2, 3, 4}, {0, 2}, {3})), "");
  EXPECT_EQ(refusal(reduction({2, 3}, {0, 1}, {})), "");
  EXPECT_EQ(refusal(reduction({2, 3}, {}, {2, 3})), "");
  EXPECT_EQ(refusal(reduction({}, {}, {})), "");
  EXPECT_REFUSED_FOR("kept axes", refusal(reduction({2, 3}, {0}, {2})));
  EXPECT_REFUSED_FOR("kept axes", refusal(reduction({2, 3}, {0}, {1, 3})));
  EXPECT_REFUSED_FOR("ascending", refusal(reduction({2, 3}, {1, 0}, {})));
  EXPECT_REFUSED_FOR("ascending", refusal(reduction({2, 3}, {0, 0}, {3})));
  EXPECT_REFUSED_FOR("out of range", refusal(reduction({2, 3}, {2}, {2, 3})));
  EXPECT_REFUSED_FOR("out of range", refusal(reduction({2, 3}, {-1}, {2})));
  EXPECT_REFUSED_FOR("expected an array", refusal(make(Op::sum, {}, {Scalar{}})));
}

TEST(Check, a_constant_has_a_payload_of_its_length) {
  const auto constant = [](std::int32_t payload) {
    return but(make(Op::constant, {3}, {}), [&](Command& c) { c.payload = payload; });
  };
  const std::vector<Bytes> payloads{Bytes(24), Bytes(23), Bytes(32), Bytes(25)};
  EXPECT_EQ(refusal(constant(0), payloads), "");
  for (const std::int32_t wrong : {1, 2, 3}) {
    EXPECT_REFUSED_FOR("not as long", refusal(constant(wrong), payloads));
  }
  EXPECT_REFUSED_FOR("no payload", refusal(constant(-1), payloads));
  EXPECT_REFUSED_FOR("out of range", refusal(constant(4), payloads));
  EXPECT_REFUSED_FOR("out of range", refusal(constant(-2), payloads));
  EXPECT_REFUSED_FOR("expected none", refusal(but(addition, [](Command& c) { c.payload = 0; }), payloads));
  Command bools = make(Op::constant, {3}, {}, Dtype::bool_);
  bools.payload = 0;
  EXPECT_EQ(refusal(bools, {Bytes(3, std::byte{1})}), "");
  EXPECT_REFUSED_FOR("no bool", refusal(bools, {Bytes(3, std::byte{2})}));
}

TEST(Check, a_constant_that_is_only_planned_needs_no_elements) {
  const auto constant = but(make(Op::constant, {3}, {}), [](Command& c) { c.payload = 0; });
  EXPECT_NO_THROW(check(constant, {Bytes()}, true));
  EXPECT_REFUSED_FOR("not as long", refusal(constant, {Bytes()}));
  EXPECT_THROW(check(constant, {Bytes(23)}, true), Error);
}

TEST(Check, matmul_extents_fit_together) {
  const auto product = [](Shape left, Shape right, Shape out) {
    return refusal(make(Op::matmul, std::move(out), {array(std::move(left)), array(std::move(right))}));
  };
  EXPECT_EQ(product({2, 3}, {3, 4}, {2, 4}), "");
  EXPECT_EQ(product({5, 2, 0}, {5, 0, 4}, {5, 2, 4}), "");
  EXPECT_REFUSED_FOR("fit together", product({2, 3}, {4, 4}, {2, 4}));
  EXPECT_REFUSED_FOR("fit together", product({2, 3}, {3, 4}, {2, 5}));
  EXPECT_REFUSED_FOR("fit together", product({5, 2, 3}, {6, 3, 4}, {5, 2, 4}));
  EXPECT_REFUSED_FOR("dimensions", product({3}, {3}, {1}));
  EXPECT_REFUSED_FOR("dimensions", product({2, 3}, {3}, {2}));
  EXPECT_REFUSED_FOR("two operands", refusal(make(Op::matmul, {2, 2}, {array({2, 2})})));
  EXPECT_REFUSED_FOR("expected an array", refusal(make(Op::matmul, {2, 2}, {array({2, 2}), Scalar{}})));
}

TEST(Check, transforms_say_what_they_make) {
  const auto transform = [](Shape in, std::vector<std::int64_t> ints, Shape out,
                            Dtype dtype = Dtype::complex128, Dtype from = Dtype::float64) {
    return refusal(
        but(make(Op::fourier, out, {array(in, from), Scalar{Dtype::float64, {}}}), [&](Command& c) {
          c.ints = ints;
          c.creates = true;
          c.out = whole(2, dtype, out);
        }));
  };
  EXPECT_EQ(transform({4, 6}, {1, 0, 6, 0}, {4, 6}), "");
  EXPECT_EQ(transform({4, 5}, {1, 1, 6, 0}, {4, 6}), "");
  EXPECT_EQ(transform({4, 6}, {1, 2, 7, 0}, {4, 4}), "");
  EXPECT_EQ(transform({4, 4}, {1, 3, 7, 0}, {4, 7}, Dtype::float64), "");
  EXPECT_EQ(transform({4, 6}, {0, 0, 4, 24}, {4, 6}), "");
  EXPECT_EQ(transform({4, 6}, {0, 2, 4, 32}, {3, 6}), "");
  EXPECT_REFUSED_FOR("axis", transform({4, 6}, {2, 0, 6, 0}, {4, 6}));
  EXPECT_REFUSED_FOR("no such transform", transform({4, 6}, {1, 4, 6, 0}, {4, 6}));
  EXPECT_REFUSED_FOR("no such transform", transform({4, 6}, {1, 0, 0, 0}, {4, 0}));
  EXPECT_REFUSED_FOR("another shape", transform({4, 6}, {1, 0, 6, 0}, {5, 6}));
  EXPECT_REFUSED_FOR("longer", transform({4, 7}, {1, 0, 6, 0}, {4, 6}));
  EXPECT_REFUSED_FOR("empty", transform({4, 0}, {1, 0, 6, 0}, {4, 6}));
  EXPECT_REFUSED_FOR("complex numbers",
                     transform({4, 6}, {1, 2, 6, 0}, {4, 4}, Dtype::complex128, Dtype::complex128));
  EXPECT_REFUSED_FOR("wrong dtype", transform({4, 6}, {1, 0, 6, 0}, {4, 6}, Dtype::float64));
  EXPECT_REFUSED_FOR("factors", transform({4, 6}, {0, 0, 4, 25}, {4, 6}));
  EXPECT_REFUSED_FOR("factors", transform({4, 6}, {0, 0, 4, 20}, {4, 6}));
  EXPECT_REFUSED_FOR("factors", transform({4, 6}, {1, 0, 6, 24}, {4, 6}));
}

TEST(Check, draws_have_their_parameters) {
  const auto draw = [](std::vector<Operand> in, std::vector<std::int64_t> ints) {
    return refusal(but(make(Op::draw, {3}, std::move(in)), [&](Command& c) {
      c.ints = ints;
      c.creates = true;
    }));
  };
  EXPECT_EQ(draw({array({3})}, {0, 5, 6}), "");
  EXPECT_EQ(draw({Scalar{Dtype::float64, {}}}, {0, 5, 6}), "");
  EXPECT_REFUSED_FOR("no such distribution", draw({array({3})}, {1000, 5, 6}));
  EXPECT_REFUSED_FOR("number of parameters", draw({array({3}), array({3})}, {0, 5, 6}));
  EXPECT_REFUSED_FOR("not real", draw({array({3}, Dtype::complex64)}, {0, 5, 6}));
  EXPECT_REFUSED_FOR("not real", draw({array({2})}, {0, 5, 6}));
  EXPECT_REFUSED_FOR("three ints", draw({array({3})}, {0, 5}));
}

TEST(Check, flags_name_rows) {
  const auto flags = [](std::int64_t n) { return whole(3, Dtype::bool_, {n}); };
  const auto put = [&](Shape target, Shape values, std::vector<std::int64_t> ints = {}) {
    return refusal(but(make(Op::put, std::move(target), {flags(5), array(std::move(values))}),
                       [&](Command& c) { c.ints = ints; }));
  };
  EXPECT_EQ(put({5}, {2}), "");
  EXPECT_EQ(put({5, 3}, {2, 3}), "");
  EXPECT_REFUSED_FOR("one for each row", put({4}, {2}));
  EXPECT_REFUSED_FOR("one for each row", put({5}, {2}, {static_cast<std::int64_t>(Op::add)}));
  EXPECT_REFUSED_FOR("more than it has", put({5}, {6}));
  EXPECT_REFUSED_FOR("rows of the target", put({5, 3}, {2, 4}));
  EXPECT_REFUSED_FOR("rows of the target", put({5, 3}, {2}));
  EXPECT_EQ(refusal(make(Op::put, {5, 3}, {flags(5), Scalar{Dtype::float64, {}}})), "");
  EXPECT_REFUSED_FOR("number is not", refusal(make(Op::put, {5}, {flags(5), Scalar{Dtype::int64, {}}})));
  EXPECT_REFUSED_FOR("rows of the target",
                     refusal(make(Op::put, {5}, {flags(5), array({2}, Dtype::float32)})));
  const auto select = [&](std::vector<Operand> in, Shape result, Dtype dtype = Dtype::float64) {
    return refusal(but(make(Op::nonzero, std::move(result), std::move(in), dtype),
                       [](Command& c) { c.creates = true; }));
  };
  EXPECT_EQ(select({flags(5)}, {2}, Dtype::int64), "");
  EXPECT_EQ(select({flags(5), array({5})}, {2}), "");
  EXPECT_EQ(select({flags(5), array({5, 3})}, {2, 3}), "");
  EXPECT_REFUSED_FOR("each flag", select({flags(5), array({4})}, {2}));
  EXPECT_REFUSED_FOR("each flag", select({flags(5), array({})}, {2}));
  EXPECT_REFUSED_FOR("such rows", select({flags(5), array({5})}, {2}, Dtype::int64));
  EXPECT_REFUSED_FOR("such rows", select({flags(5), array({5})}, {6}));
  EXPECT_REFUSED_FOR("such rows", select({flags(5), array({5, 3})}, {2, 2}));
  EXPECT_REFUSED_FOR("such rows", select({flags(5), array({5, 3})}, {2}));
  EXPECT_REFUSED_FOR("at most one array", select({flags(5), array({5}), array({5})}, {2}));
}

TEST(Check, put_takes_an_op_that_stays_in_the_dtype) {
  const auto put = [](std::vector<std::int64_t> ints, Dtype dtype = Dtype::float64) {
    return refusal(but(make(Op::put, {5}, {whole(3, Dtype::int64, {2}), whole(1, dtype, {2})}, dtype),
                       [&](Command& c) { c.ints = std::move(ints); }));
  };
  const auto number = [](Op op) { return static_cast<std::int64_t>(op); };
  EXPECT_EQ(put({}), "");
  for (const Op op : {Op::add, Op::divide, Op::negative, Op::absolute}) EXPECT_EQ(put({number(op)}), "");
  EXPECT_EQ(put({number(Op::less)}, Dtype::bool_), "");
  for (const Op op : {Op::less, Op::bitwise_or, Op::where, Op::sum, Op::take})
    EXPECT_REFUSED_FOR("stay", put({number(op)}));
  EXPECT_REFUSED_FOR("stay", put({number(Op::absolute)}, Dtype::complex128));
  EXPECT_REFUSED_FOR("no such op", put({op_count()}));
  EXPECT_REFUSED_FOR("no such op", put({-1}));
  EXPECT_REFUSED_FOR("existing array", put({0, 0}));
}

TEST(Check, only_associative_ops_accumulate_one_dimension) {
  const auto accumulate = [](Op op, Shape extents) {
    return refusal(but(make(Op::accumulate, extents, {array(extents)}), [&](Command& c) {
      c.creates = true;
      c.ints = {0, static_cast<std::int64_t>(op)};
    }));
  };
  EXPECT_EQ(accumulate(Op::add, {4}), "");
  EXPECT_EQ(accumulate(Op::hypot, {4}), "");
  EXPECT_EQ(accumulate(Op::divide, {4, 2}), "");
  EXPECT_REFUSED_FOR("does not fold", accumulate(Op::divide, {4}));
  EXPECT_REFUSED_FOR("does not fold", accumulate(Op::less, {4, 2}));
}

TEST(Check, linalg_extents_fit_the_routine) {
  const auto task = [](Linalg routine, Shape a, Shape out, std::int64_t block = 0,
                       std::vector<Operand> more = {}) {
    more.insert(more.begin(), array(std::move(a)));
    return refusal(but(make(Op::linalg, std::move(out), std::move(more)), [&](Command& c) {
      c.ints = {static_cast<std::int64_t>(routine), block, 0};
      c.creates = true;
    }));
  };
  EXPECT_EQ(task(Linalg::inverse, {3, 3}, {3, 3}, 64), "");
  EXPECT_EQ(task(Linalg::qr, {2, 5, 3}, {2, 8, 3}), "");
  EXPECT_EQ(task(Linalg::qr, {5, 3}, {8, 5}), "");
  EXPECT_EQ(task(Linalg::solve, {3, 3}, {3, 2}, 0, {array({3, 2})}), "");
  const Scalar rcond{Dtype::float64, {}};
  EXPECT_EQ(task(Linalg::least_squares, {5, 3}, {6, 2}, 0, {array({5, 2}), rcond}), "");
  EXPECT_EQ(task(Linalg::least_squares, {3, 5}, {10, 1}, 0, {array({3, 1}), rcond}), "");
  EXPECT_REFUSED_FOR("wrong extents", task(Linalg::least_squares, {5, 3}, {5, 2}, 0, {array({5, 2}), rcond}));
  EXPECT_REFUSED_FOR("right-hand", task(Linalg::least_squares, {5, 3}, {6, 2}, 0, {array({3, 2}), rcond}));
  EXPECT_REFUSED_FOR("rcond", task(Linalg::least_squares, {5, 3}, {6, 2}, 0, {array({5, 2}), array({})}));
  EXPECT_REFUSED_FOR("single matrix",
                     task(Linalg::least_squares, {2, 5, 3}, {2, 6, 2}, 0, {array({2, 5, 2}), rcond}));
  EXPECT_REFUSED_FOR("operands", task(Linalg::least_squares, {5, 3}, {6, 2}, 0, {array({5, 2})}));
  EXPECT_REFUSED_FOR("wrong extents", task(Linalg::qr, {5, 3}, {8, 4}));
  EXPECT_REFUSED_FOR("wrong extents", task(Linalg::svd, {5, 3}, {8, 3}));
  EXPECT_REFUSED_FOR("not square", task(Linalg::cholesky, {3, 4}, {3, 4}));
  EXPECT_REFUSED_FOR("stacks", task(Linalg::inverse, {2, 3, 3}, {3, 3, 3}));
  EXPECT_REFUSED_FOR("nothing", task(Linalg::inverse, {0, 0}, {0, 0}));
  EXPECT_REFUSED_FOR("blocks", task(Linalg::inverse, {2, 3, 3}, {2, 3, 3}, 64));
  EXPECT_REFUSED_FOR("blocks", task(Linalg::inverse, {3, 3}, {3, 3}, 1 << 20));
  EXPECT_REFUSED_FOR("right-hand", task(Linalg::solve, {3, 3}, {3, 2}, 0, {array({4, 2})}));
  EXPECT_REFUSED_FOR("operands", task(Linalg::solve, {3, 3}, {3, 2}));
}

TEST(Check, redistributions_describe_their_result) {
  const auto redistribute = [](std::vector<std::int64_t> ints, Shape extents = {6, 4}) {
    return refusal(but(make(Op::redistribute, extents, {array(extents)}), [&](Command& c) {
      c.creates = true;
      c.ints = std::move(ints);
    }));
  };
  EXPECT_EQ(redistribute({0, 0, 2, 6, 3, 0, 4, 1, 0}), "");
  EXPECT_EQ(redistribute({1, 0, 2, 6, 3, 2, 2, 2, 4, 1, 0}), "");
  EXPECT_EQ(redistribute({0, 1, 2, 6, 1, 0, 4, 1, 0}), "");
  EXPECT_EQ(redistribute({0, 0, 4, 1, 1, 0, 3, 3, 0, 2, 1, 0, 4, 1, 0}), "")
      << "an axis that is dealt out in turns";
  for (const std::vector<std::int64_t>& wrong : std::vector<std::vector<std::int64_t>>{
           {},
           {0, 0},
           {0, 0, 2, 6, 3, 0, 4, 1},
           {0, 0, 2, 6, 3, 0, 4, 1, 0, 0},  // too few, too many
           {-1, 0, 2, 6, 3, 0, 4, 1, 0},
           {0, 2, 2, 6, 3, 0, 4, 1, 0},
           {0, 0, 2, 6, 0, 0, 4, 1, 0},
           {0, 0, 2, 6, 3, 1, 2, 4, 1, 0},
           {0, 0, 2, 6, 3, 2, 3, 2, 4, 1, 0},
           {0, 0, 2, 6, 3, 2, 2, 7, 4, 1, 0},  // cuts
           {0, 1, 2, 6, 3, 0, 4, 1, 0},
           {1, 1, 2, 6, 1, 0, 4, 1, 0},  // replicated
           {0, 0, 2, 5, 3, 0, 4, 1, 0},
           {0, 0, 2, std::int64_t{1} << 62, 3, 0, std::int64_t{1} << 62, 1, 0},  // elements
           {0, 0, 2, 6, 1 << 20, 0, 4, 1 << 20, 0},
           {0, 0, 99}})
    EXPECT_REFUSED_FOR("no distribution", redistribute(wrong));
}

TEST(Check, routines_have_a_name_and_whole_arrays) {
  const auto call = [](std::string name, View out, std::vector<Operand> in,
                       std::vector<std::int64_t> ints = {1}) {
    Bytes bytes(reinterpret_cast<const std::byte*>(name.data()),
                reinterpret_cast<const std::byte*>(name.data() + name.size()));
    return refusal(but(make(Op::routine, out.extents, std::move(in)),
                       [&](Command& c) {
                         c.out = out;
                         c.ints = ints;
                         c.payload = 0;
                       }),
                   {bytes});
  };
  const View plane = whole(1, Dtype::float64, {4, 6});
  View part = plane;
  part.extents = {4, 3};
  EXPECT_EQ(call("smooth", plane, {}), "");
  EXPECT_EQ(call("smooth_2", plane, {whole(2, Dtype::int32, {3}), Scalar{Dtype::float64, {}}}, {0}), "");
  for (const char* name : {"", "no space", "../path", "a;b"})
    EXPECT_REFUSED_FOR("name", call(name, plane, {}));
  EXPECT_REFUSED_FOR("whole", call("smooth", part, {}));
  EXPECT_REFUSED_FOR("whole", call("smooth", plane, {part}));
  EXPECT_REFUSED_FOR("dtype", call("smooth", whole(1, Dtype::uint8, {4}), {}));
  EXPECT_REFUSED_FOR("dimensions", call("smooth", whole(1, Dtype::float64, {1, 1, 1, 1, 1, 1, 1, 2}), {}));
  EXPECT_REFUSED_FOR("float64", call("smooth", plane, {Scalar{Dtype::float32, {}}}));
  EXPECT_REFUSED_FOR("more than its first", call("smooth", plane, {plane}, {2}));
  EXPECT_REFUSED_FOR("no name", refusal(make(Op::routine, {4}, {})));
  EXPECT_EQ(call("smooth@0123abcd", plane, {}), "");
  for (const char* wrong :
       {"smooth@", "smooth@0123abc", "smooth@0123abcde", "smooth@0123abcg", "smooth@012@abcd"})
    EXPECT_REFUSED_FOR("no checksum", call(wrong, plane, {}));
  EXPECT_REFUSED_FOR("no identifier", call("@0123abcd", plane, {}));
}

TEST(Check, every_structural_op_has_a_rule) {
  for (int code = 0; code < op_count(); ++code) {
    if (info(static_cast<Op>(code)).kind != RowKind::call) continue;
    const std::string why = refusal(make(static_cast<Op>(code), {}, {}));
    EXPECT_EQ(why.find("no rule"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace gamelan::protocol
