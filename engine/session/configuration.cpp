// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/configuration.hpp"

#include <algorithm>
#include <utility>

#include "engine/option_words.hpp"
#include "engine/plan/options.hpp"

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const auto& each : plan::switches()) names.emplace_back(each.name);
  names.emplace_back("elide_stores");
  names.emplace_back("hide");  // messages travel while the step computes
  return names;
}

std::set<std::string> passes_of(const std::string& list) {
  const auto names = pass_names();
  std::set<std::string> passes;
  std::string pass;
  for (const char c : list + ",") {
    if (c != ',') {
      pass += c;
      continue;
    }
    if (pass.empty()) continue;
    if (std::find(names.begin(), names.end(), pass) == names.end())
      throw Error(ErrorKind::value, "[configure] unknown pass '" + pass + "'");
    passes.insert(std::exchange(pass, {}));
  }
  return passes;
}

void check_option(const std::string& name, const std::string& value) {
  if (name == "disable_passes") passes_of(value);
  if (name == "compile" || name == "balance" || name == "tiling") chosen(name, value);
}

std::size_t chosen(const std::string& option, const std::string& word) {
  try {
    return choose(option, word);
  } catch (const Error& error) {
    throw Error(error.kind(), "[configure] " + option + ": " + error.what());
  }
}

}  // namespace gamelan::engine
