// SPDX-License-Identifier: BSD-3-Clause
// What a test under mpiexec needs: the process's one Comm. Include it instead of making another.
#pragma once
#include <gtest/gtest.h>

#include "engine/ranks/comm.hpp"

namespace gamelan::testing {

/// Started by mpi_main.cpp before the first test, stopped after the last.
engine::Comm& comm();

}  // namespace gamelan::testing
