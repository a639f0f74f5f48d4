// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/float_errors.hpp"

#include "engine/tiles/float_classes.hpp"

namespace gamelan::engine::tiles {
namespace {

// The processor's flags and NumPy's kinds.
constexpr std::pair<unsigned, unsigned> flag_and_kind[] = {{0x01, protocol::float_invalid},
                                                           {0x04, protocol::float_divide},
                                                           {0x08, protocol::float_over},
                                                           {0x10, protocol::float_under}};

}  // namespace

FloatErrors& float_errors() {
  static FloatErrors errors;
  return errors;
}

void FloatErrors::watch(unsigned kinds, std::vector<int> lines) {
  watched_ = kinds;
  lines_ = std::move(lines);
  alarm_ = 0;
  for (const auto& [flag, kind] : flag_and_kind)
    if ((kinds & kind) != 0) alarm_ |= flag;
  noted_.clear();
  told_.clear();
  is_new_ = false;
}

unsigned FloatErrors::take() {
  const unsigned state = processor_flags::raised();
  unsigned kinds = 0;
  for (const auto& [flag, kind] : flag_and_kind)
    if ((state & alarm_ & flag) != 0) kinds |= kind;
  processor_flags::lower();
  return kinds;
}

void FloatErrors::note(unsigned kinds, int first, int last) {
  unsigned& known = noted_[{first, last}];
  if ((kinds & ~known) == 0) return;
  known |= kinds;
  is_new_ = true;
}

bool FloatErrors::is_known(unsigned kinds, int command) const {
  const auto found = noted_.find({command, command});
  return found != noted_.end() && (kinds & ~found->second) == 0;
}

std::span<const protocol::FloatErrors> FloatErrors::tell() {
  told_.clear();
  for (const auto& [commands, kinds] : noted_)
    told_.push_back({static_cast<std::uint8_t>(kinds), commands.first, commands.second});
  is_new_ = false;
  return told_;
}

void note_fold(protocol::Op op, protocol::Dtype loop, int command) {
  if (const unsigned kinds = float_errors().look() & reliable_flags(op, loop); kinds != 0 && command >= 0)
    float_errors().note(kinds, command, command);
}

}  // namespace gamelan::engine::tiles
