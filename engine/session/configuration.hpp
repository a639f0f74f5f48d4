// SPDX-License-Identifier: BSD-3-Clause
// The options of a session that a client sets by name (Configure), as words: which passes there are, what a
// list of them names, and the choices of options.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace gamelan::engine {

/// Passes that can be switched off: the planner's, and what the session does before it plans and while it
/// runs.
std::vector<std::string> pass_names();
/// The passes of a list like "fuse,simplify". Throws Error{value} for a name that is no pass.
std::set<std::string> passes_of(const std::string& list);
/// Which of the option's words it is. Throws Error{value} for another one.
std::size_t chosen(const std::string& option, const std::string& word);

}  // namespace gamelan::engine
