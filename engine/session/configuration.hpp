// SPDX-License-Identifier: BSD-3-Clause
// The options that a client sets by name (Configure), as words: which passes there are, which of them a list
// names, and the possible values of options.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace gamelan::engine {

/// Names of all passes that can be switched off: the planner's, and those of the session before planning and
/// during a run.
std::vector<std::string> pass_names();
/// The passes in a list such as "fuse,simplify". Throws Error{value} for an unknown name.
std::set<std::string> passes_of(const std::string& list);
/// Throws Error{value} when an option of batches (protocol/message.hpp) cannot have this value.
void check_option(const std::string& name, const std::string& value);
/// The index of `word` among the values of the option. Throws Error{value} when it is not one of them.
std::size_t chosen(const std::string& option, const std::string& word);

}  // namespace gamelan::engine
