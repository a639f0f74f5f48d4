// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/error.hpp"

#include <gtest/gtest.h>

namespace gamelan::protocol {
namespace {

TEST(Error, every_kind_has_a_name_that_finds_it) {
  int kinds = 0;
#define ERROR(kind, python_class_name, severity_name)            \
  EXPECT_EQ(name(ErrorKind::kind), #kind);                       \
  EXPECT_EQ(error_kind_by_name(#kind), ErrorKind::kind);         \
  EXPECT_EQ(python_class(ErrorKind::kind), python_class_name);   \
  EXPECT_EQ(severity(ErrorKind::kind), Severity::severity_name); \
  ++kinds;
#include "protocol/errors.def"
#undef ERROR
  EXPECT_GE(kinds, 14);
}

TEST(Error, unknown_name_is_internal) { EXPECT_EQ(error_kind_by_name("no such kind"), ErrorKind::internal); }

TEST(Error, carries_kind_message_and_command) {
  const Error error(ErrorKind::value, "[add] shapes differ", 7);
  EXPECT_EQ(error.kind(), ErrorKind::value);
  EXPECT_STREQ(error.what(), "[add] shapes differ");
  EXPECT_EQ(error.command(), 7);
  EXPECT_EQ(Error(ErrorKind::os, "").command(), -1);
}

}  // namespace
}  // namespace gamelan::protocol
