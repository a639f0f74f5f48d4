// SPDX-License-Identifier: BSD-3-Clause
// Prints the fingerprint of the tables it was compiled with; built several times by CMake, each time with one
// table changed in one place, for fingerprint_test.py.
#include <iostream>

#include "protocol/ops.hpp"

int main() { std::cout << std::hex << gamelan::protocol::fingerprint() << '\n'; }
