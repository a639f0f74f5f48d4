// SPDX-License-Identifier: BSD-3-Clause
// What the rows that read and write files allow of a command.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "protocol/check.hpp"

namespace gamelan::protocol {
namespace {

Bytes path(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string refusal(const Command& command, const std::string& name = "/folder/file") {
  try {
    check(command, {path(name)});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::protocol);
    return error.what();
  }
  return "";
}

#define EXPECT_REFUSED_FOR(reason, ...) \
  EXPECT_NE((__VA_ARGS__).find(reason), std::string::npos) << (__VA_ARGS__)

Command made(Op op, View out, std::vector<std::int64_t> ints) {
  Command command;
  command.op = op;
  command.out = std::move(out);
  command.creates = true;
  command.ints = std::move(ints);
  command.payload = 0;
  return command;
}

const Command reading = made(Op::read_file, whole(1, Dtype::float64, {3, 4}), {128, 0, 32, 8});
const Command writing = [] {
  Command command = made(Op::write_file, whole(1, Dtype::int64, {6}), {128, 1});
  command.in = {whole(2, Dtype::float64, {3, 4})};
  return command;
}();

Command but(Command command, const std::function<void(Command&)>& change) {
  change(command);
  return command;
}

TEST(CheckFile, both_are_well_formed) {
  EXPECT_EQ(refusal(reading), "");
  EXPECT_EQ(refusal(writing), "");
}

TEST(CheckFile, a_path_is_absolute_and_has_an_end) {
  for (const Command& command : {reading, writing}) {
    EXPECT_REFUSED_FOR("not absolute", refusal(command, "file"));
    EXPECT_REFUSED_FOR("not absolute", refusal(command, "/" + std::string(4096, 'x')));
    EXPECT_REFUSED_FOR("zero", refusal(command, std::string("/a\0b", 4)));
    EXPECT_REFUSED_FOR("no payload", refusal(but(command, [](Command& c) { c.payload = -1; })));
    EXPECT_REFUSED_FOR("out of range", refusal(but(command, [](Command& c) { c.payload = 1; })));
  }
}

TEST(CheckFile, only_a_checksum_needs_no_path) {
  EXPECT_EQ(refusal(writing, ""), "");
  EXPECT_REFUSED_FOR("not absolute", refusal(but(writing, [](Command& c) { c.ints[1] = 0; }), ""));
  EXPECT_REFUSED_FOR("not absolute", refusal(reading, ""));
}

TEST(CheckFile, what_is_known_from_reading_has_no_path) {
  const Command known = but(writing, [](Command& c) { c.ints = {0, 2}; });
  EXPECT_EQ(refusal(known, ""), "");
  EXPECT_REFUSED_FOR("no path", refusal(known));
  EXPECT_REFUSED_FOR("no path", refusal(but(known, [](Command& c) { c.ints[0] = 128; }), ""));
  EXPECT_REFUSED_FOR("flag", refusal(but(reading, [](Command& c) { c.ints[1] = 2; })));
}

TEST(CheckFile, a_path_may_have_a_note) {
  const auto with = [](const std::string& note) { return std::string("/a\0", 3) + note; };
  EXPECT_EQ(refusal(writing, with("later")), "");
  EXPECT_EQ(refusal(reading, with("0123abcf")), "");
  EXPECT_EQ(refusal(reading, with("=0123abcf")), "");
  EXPECT_REFUSED_FOR("zero", refusal(reading, with("==123abcf")));
  EXPECT_REFUSED_FOR("zero", refusal(writing, with("sooner")));
  EXPECT_REFUSED_FOR("zero", refusal(but(writing, [](Command& c) { c.ints[1] = 0; }), with("later")));
  EXPECT_REFUSED_FOR("zero", refusal(reading, with("0123abcg")));
  EXPECT_REFUSED_FOR("zero", refusal(reading, with("later")));
}

TEST(CheckFile, offsets_and_strides_stay_within_a_file) {
  for (const Command& command : {reading, writing}) {
    EXPECT_REFUSED_FOR("offset", refusal(but(command, [](Command& c) { c.ints[0] = -1; })));
    EXPECT_REFUSED_FOR("offset", refusal(but(command, [](Command& c) { c.ints[0] = INT64_MAX; })));
    EXPECT_REFUSED_FOR("flag", refusal(but(command, [](Command& c) { c.ints[1] = 3; })));
    EXPECT_REFUSED_FOR("offset", refusal(but(command, [](Command& c) { c.ints = {0}; })));
    EXPECT_REFUSED_FOR("offset", refusal(but(command, [](Command& c) { c.ints.clear(); })));
  }
  EXPECT_REFUSED_FOR("number of elements", refusal(but(reading, [](Command& c) { c.ints[2] = 12; })));
  EXPECT_REFUSED_FOR("number of elements", refusal(but(reading, [](Command& c) { c.ints[3] = -8; })));
  EXPECT_REFUSED_FOR("that long",
                     refusal(but(reading, [](Command& c) { c.ints[2] = std::int64_t{1} << 60; })));
  EXPECT_REFUSED_FOR("per axis", refusal(but(reading, [](Command& c) { c.ints.push_back(8); })));
}

TEST(CheckFile, operands_and_results_fit) {
  EXPECT_REFUSED_FOR("no new array", refusal(but(reading, [](Command& c) { c.creates = false; })));
  EXPECT_REFUSED_FOR("no new array", refusal(but(writing, [](Command& c) { c.creates = false; })));
  EXPECT_REFUSED_FOR("dtype", refusal(but(reading, [](Command& c) { c.loop = Dtype::int64; })));
  EXPECT_REFUSED_FOR("per axis",
                     refusal(but(reading, [](Command& c) { c.in = {whole(2, Dtype::float64, {3})}; })));
  EXPECT_REFUSED_FOR("loop's dtype", refusal(but(writing, [](Command& c) { c.loop = Dtype::int64; })));
  EXPECT_REFUSED_FOR("loop's dtype", refusal(but(writing, [](Command& c) { c.in = {Scalar{}}; })));
  EXPECT_REFUSED_FOR("expected an array", refusal(but(writing, [](Command& c) { c.in.clear(); })));
  EXPECT_REFUSED_FOR("row of int64",
                     refusal(but(writing, [](Command& c) { c.out = whole(1, Dtype::float64, {6}); })));
}

TEST(CheckFile, pieces_have_names_and_no_paths) {
  Command in_pieces = writing;
  in_pieces.op = Op::write_pieces;
  in_pieces.ints = {0, 1};
  const Command from_pieces = made(Op::read_pieces, whole(1, Dtype::float64, {3, 4}), {});
  const Command folder = made(Op::tend_pieces, whole(1, Dtype::int64, {6}), {0, 4096});
  const Command removal = made(Op::tend_pieces, whole(1, Dtype::int64, {6}), {2, 0});
  const std::string array = "pieces-node7.site-12-34-ab/1/3f";
  EXPECT_EQ(refusal(in_pieces, array), "");
  EXPECT_EQ(refusal(from_pieces, array), "");
  EXPECT_EQ(refusal(from_pieces, array + std::string("\0"
                                                     "0123abcf",
                                                     9)),
            "");
  EXPECT_EQ(refusal(folder, "pieces-a/1"), "");
  EXPECT_EQ(refusal(removal, "pieces-a/1"), "");
  EXPECT_EQ(refusal(removal, "pieces-a"), "");
  for (const std::string name : {"", "/etc", "pieces-a", "pieces-a/1", "pieces-a/../..", "pieces-a//1",
                                 "pieces-a/1/2/3", "pieces-a/1/.2", "pieces-a/1/2 3", "other/1/2"}) {
    EXPECT_REFUSED_FOR("named", refusal(in_pieces, name));
    EXPECT_REFUSED_FOR("named", refusal(from_pieces, name));
    if (name == "pieces-a/1") continue;
    EXPECT_REFUSED_FOR("named", refusal(folder, name));
  }
  EXPECT_REFUSED_FOR("zero", refusal(from_pieces, array + std::string("\0later", 6)));
  EXPECT_REFUSED_FOR("action", refusal(but(folder, [](Command& c) { c.ints[0] = 3; }), "pieces-a/1"));
  EXPECT_REFUSED_FOR("action", refusal(but(folder, [](Command& c) { c.ints[1] = -1; }), "pieces-a/1"));
  EXPECT_REFUSED_FOR("row of int64", refusal(but(folder,
                                                 [](Command& c) {
                                                   c.out.extents = {2, 3};
                                                   c.out.strides = {24, 8};
                                                 }),
                                             "pieces-a/1"));
  EXPECT_REFUSED_FOR("axis alone", refusal(but(from_pieces, [](Command& c) { c.ints = {0}; }), array));
}

const Command dataset = made(Op::read_hdf5, whole(1, Dtype::float64, {3, 4}), {0, 5, 1, 2});
const std::string dataset_name = std::string("/folder/file\0group/x", 20);
const Command chunks = [] {
  Command command = made(Op::read_zarr, whole(1, Dtype::float64, {3, 4}), {2, 0, 1, 0, 0, 5, 1, 2, 10, 20});
  command.in = {Scalar{Dtype::float64, {}}};
  return command;
}();

TEST(CheckFile, parts_of_datasets) {
  EXPECT_EQ(refusal(dataset, dataset_name), "");
  EXPECT_EQ(refusal(chunks), "");
  EXPECT_REFUSED_FOR("no dataset", refusal(dataset, "/folder/file"));
  EXPECT_REFUSED_FOR("no dataset", refusal(dataset, std::string("/folder/file\0", 13)));
  EXPECT_REFUSED_FOR("zero in it", refusal(dataset, dataset_name + std::string("\0y", 2)));
  EXPECT_REFUSED_FOR("not absolute", refusal(dataset, std::string("file\0x", 6)));
  EXPECT_REFUSED_FOR("another dtype",
                     refusal(but(dataset, [](Command& c) { c.loop = Dtype::int32; }), dataset_name));
  EXPECT_REFUSED_FOR("start and a step",
                     refusal(but(dataset, [](Command& c) { c.ints.pop_back(); }), dataset_name));
  for (const std::size_t place : {0, 2}) {
    EXPECT_REFUSED_FOR("begins before",
                       refusal(but(dataset, [&](Command& c) { c.ints[place] = -1; }), dataset_name));
    EXPECT_REFUSED_FOR("begins before", refusal(but(chunks, [&](Command& c) { c.ints[4 + place] = -1; })));
  }
  EXPECT_REFUSED_FOR("that long", refusal(but(dataset, [](Command& c) { c.ints[3] = std::int64_t{1} << 60; }),
                                          dataset_name));
  EXPECT_REFUSED_FOR("codec", refusal(but(chunks, [](Command& c) { c.ints[0] = 3; })));
  EXPECT_REFUSED_FOR("flags", refusal(but(chunks, [](Command& c) { c.ints[2] = 2; })));
  EXPECT_REFUSED_FOR("what is not there", refusal(but(chunks, [](Command& c) { c.in.clear(); })));
  EXPECT_REFUSED_FOR("what is not there", refusal(but(chunks, [](Command& c) {
                       c.in = {Scalar{Dtype::int8, {}}};
                     })));
  for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{1} << 31})
    EXPECT_REFUSED_FOR("a chunk has", refusal(but(chunks, [&](Command& c) { c.ints[9] = extent; })));
}

}  // namespace
}  // namespace gamelan::protocol
