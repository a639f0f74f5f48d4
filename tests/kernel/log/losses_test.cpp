// SPDX-License-Identifier: BSD-3-Clause
// What the session's log loses, and what it does not: what was made before a loss can be made again.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kernel/recorder/log/command_log.hpp"
#include "tests/random.hpp"

namespace gamelan::kernel {
namespace {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::Dtype;
using protocol::Op;

using Ids = std::set<ArrayId>;

constexpr std::int64_t few = 8, many = 100'000;

/// A program that records into a log, batch by batch. All arrays are of float64.
class Program {
 public:
  /// An array of the program's own elements.
  Program& upload(ArrayId id, std::int64_t elements) {
    Command command = creating(Op::constant, id, elements);
    payload(command, protocol::Bytes(static_cast<std::size_t>(8 * elements)));
    return add(std::move(command));
  }
  Program& load(ArrayId id, const std::string& path) {
    Command command = creating(Op::read_file, id, few);
    command.ints = {0, 0, 8};
    const auto* first = reinterpret_cast<const std::byte*>(path.data());
    payload(command, protocol::Bytes(first, first + path.size()));
    return add(std::move(command));
  }
  Program& make(ArrayId id, ArrayId from, std::int64_t elements = few) {
    Command command = creating(Op::negative, id, elements);
    command.in = {protocol::whole(from, Dtype::float64, {elements})};
    return add(std::move(command));
  }
  /// Writes in place.
  Program& assign(ArrayId to, ArrayId from, std::int64_t elements = few) {
    Command command = creating(Op::negative, to, elements);
    command.creates = false;
    command.in = {protocol::whole(from, Dtype::float64, {elements})};
    return add(std::move(command));
  }
  Program& free(ArrayId id) {
    frees_.push_back(id);
    return *this;
  }
  void end_batch(CommandLog& log) { log.add(end_batch(++number_)); }
  CommandLog::Entry end_batch(std::uint64_t number) {
    CommandLog::Entry entry{number,           {}, batch_.commands.size(), 1, std::exchange(frees_, {}),
                            stamps_of(batch_)};
    batch_.origins.emplace_back();
    entry.frames = std::make_shared<const protocol::Frames>(
        protocol::encode(protocol::Request(std::exchange(batch_, {}))));
    return entry;
  }

 private:
  static Command creating(Op op, ArrayId id, std::int64_t elements) {
    Command command;
    command.op = op;
    command.out = protocol::whole(id, Dtype::float64, {elements});
    command.creates = true;
    return command;
  }
  void payload(Command& command, protocol::Bytes bytes) {
    command.payload = static_cast<std::int32_t>(batch_.payloads.size());
    batch_.payloads.push_back(std::move(bytes));
  }
  Program& add(Command command) {
    batch_.commands.push_back(std::move(command));
    return *this;
  }

  Batch batch_;
  std::vector<ArrayId> frees_;
  std::uint64_t number_ = 0;
};

using Values = std::map<ArrayId, std::uint64_t>;

/// As an array's elements: of one that is made anew, of one that is made from another, and behind a write.
std::uint64_t new_value(ArrayId id) { return 0x9e3779b97f4a7c15 * id; }
std::uint64_t made_value(std::uint64_t from) { return (from ^ from >> 29) * 0xbf58476d1ce4e5b9; }
std::uint64_t written_value(std::uint64_t before, std::uint64_t from) { return made_value(before) + from; }

/// What engines that follow have, when the log is repeated there.
struct Repeated {
  Values values;
  CommandLog::Lost lost;

  Ids made() const {
    Ids ids;
    for (const auto& [id, value] : values) ids.insert(id);
    return ids;
  }
};

Repeated repeat(CommandLog log) {
  Repeated all;
  auto& values = all.values;
  log.prune();
  log.find_foreign();
  for (std::size_t number = 0; number < log.batches(); ++number) {
    for (const auto id : log.foreign_of(number)) values.erase(id);
    std::vector<std::size_t> places;
    for (const auto& command : log.repeatable(number, places, {}).commands) {
      const auto id = command.out.base;
      const auto* view = command.in.empty() ? nullptr : std::get_if<protocol::View>(command.in.data());
      const bool is_there =
          (command.creates || values.contains(id)) && (!view || values.contains(view->base));
      EXPECT_TRUE(is_there) << "what " << id << " needs is not there";
      if (!is_there) continue;
      if (view == nullptr)
        values[id] = new_value(id);
      else
        values[id] =
            command.creates ? made_value(values[view->base]) : written_value(values[id], values[view->base]);
    }
  }
  all.lost = log.lost();
  for (const auto& [id, why] : all.lost) values.erase(id);
  return all;
}

Ids ids_of(const CommandLog::Lost& lost) {
  Ids ids;
  for (const auto& [id, why] : lost) ids.insert(id);
  return ids;
}

class Losses : public ::testing::Test {
 protected:
  ~Losses() override { CommandLog::set_limit(std::int64_t{1} << 28); }

  CommandLog log;
  Program program;
};

/// 1 is made, 2 from it; then elements that the log has no room for (3) are written into 1, and 4 is made.
void record_late_loss(Program& program, CommandLog& log, bool is_one_batch) {
  const auto end = [&] { is_one_batch ? void() : program.end_batch(log); };
  program.upload(1, few);
  end();
  program.make(2, 1);
  end();
  program.upload(3, many).assign(1, 3);
  end();
  program.make(4, 1);
  program.end_batch(log);
}

TEST_F(Losses, what_was_made_before_a_late_loss_can_be_made_again) {
  for (const bool is_one_batch : {false, true}) {
    SCOPED_TRACE(is_one_batch ? "in one batch" : "in several batches");
    log = {};
    CommandLog::set_limit(std::int64_t{1} << 28);
    record_late_loss(program, log, is_one_batch);
    CommandLog::set_limit(200'000);
    program.make(5, 2).end_batch(log);
    EXPECT_EQ(ids_of(log.lost()), (Ids{1, 3, 4}));
    const auto again = repeat(log);
    EXPECT_EQ(again.made(), (Ids{2, 5}));
    EXPECT_EQ(ids_of(again.lost), (Ids{1, 3, 4}));
    EXPECT_NE(again.lost.at(1).find("np.config.log_bytes"), std::string::npos) << again.lost.at(1);
    EXPECT_EQ(again.values.at(5), made_value(made_value(new_value(1))));
  }
}

TEST_F(Losses, an_array_that_is_lost_later_is_stored_as_it_is) {
  CommandLog::set_limit(200'000);
  record_late_loss(program, log, true);
  Ids wholes;
  for (const auto& view : log.unlogged()) wholes.insert(view.base);
  EXPECT_EQ(wholes, (Ids{1, 3, 4}));
  log.prune();
  EXPECT_EQ(log.unlogged().size(), 3) << "what made it before stays in the log";
  EXPECT_EQ(log.living().size(), 1);
}

TEST_F(Losses, what_uses_a_lost_array_afterwards_is_lost_from_there_on) {
  CommandLog::set_limit(200'000);
  program.upload(1, few).make(2, 1).upload(3, many).end_batch(log);
  program.make(4, 2).assign(2, 3).make(5, 2).end_batch(log);
  const auto again = repeat(log);
  EXPECT_EQ(again.made(), (Ids{1, 4}));
  EXPECT_EQ(ids_of(again.lost), (Ids{2, 3, 5}));
}

TEST_F(Losses, a_batch_that_comes_late_is_as_it_was_at_its_place) {
  CommandLog::set_limit(200'000);
  program.upload(1, few).upload(7, few);
  log.add(program.end_batch(1));
  program.upload(3, many).make(2, 1).assign(1, 3);
  log.add(program.end_batch(3));
  EXPECT_EQ(ids_of(log.lost()), (Ids{1, 3}));
  program.assign(1, 7);
  log.add(program.end_batch(2));
  EXPECT_EQ(repeat(log).values.at(2), made_value(written_value(new_value(1), new_value(7))));
}

TEST_F(Losses, a_file_that_was_saved_over_costs_what_was_read_from_it) {
  program.upload(1, few).make(2, 1).load(3, "/nowhere/f.npy").assign(1, 3).make(4, 1).end_batch(log);
  log.lose_file("/nowhere/other.npy");
  EXPECT_TRUE(log.lost().empty());
  log.lose_file("/nowhere/f.npy");
  const auto again = repeat(log);
  EXPECT_EQ(again.made(), (Ids{2}));
  EXPECT_NE(again.lost.at(1).find("has written its file /nowhere/f.npy"), std::string::npos)
      << again.lost.at(1);
}

TEST_F(Losses, a_log_without_elements_has_what_was_made_before) {
  record_late_loss(program, log, true);
  EXPECT_EQ(ids_of(log.lost_without_elements()), (Ids{1, 3, 4}));
  const auto bytes = log.written(0, true, true);
  CommandLog next;
  next.read(bytes);
  const auto again = repeat(next);
  EXPECT_EQ(again.made(), (Ids{2}));
  EXPECT_EQ(ids_of(again.lost), (Ids{1, 3, 4}));
}

TEST_F(Losses, the_next_kernel_reads_what_was_made_before) {
  CommandLog::set_limit(200'000);
  record_late_loss(program, log, true);
  CommandLog next;
  next.read(log.written(0, true));
  const auto again = repeat(next);
  EXPECT_EQ(again.made(), (Ids{2}));
  EXPECT_NE(again.lost.at(1).find("np.config.log_bytes"), std::string::npos) << again.lost.at(1);
  CommandLog after;
  after.append(std::move(next), 1);
  EXPECT_EQ(repeat(after).made(), (Ids{2})) << "when its engines are lost, too";
}

TEST_F(Losses, an_undo_goes_back_to_before_the_loss) {
  program.upload(1, few).end_batch(log);
  const auto mark = log.mark({1}, 1);
  program.load(3, "/nowhere/f.npy").assign(1, 3).end_batch(log);
  log.lose_file("/nowhere/f.npy");
  log.prune();
  ArrayId last = 100;
  const auto past = log.past(mark, {1}, {}, [&] { return ++last; });
  EXPECT_EQ(repeat(past.log).made(), (Ids{past.made.at(1)}));
}

TEST_F(Losses, a_checkpoint_is_wanted_of_what_lives) {
  CommandLog::set_limit(200'000);
  program.upload(3, many).free(3).end_batch(log);
  EXPECT_FALSE(log.has_newly_unlogged()) << "it has died with its batch";
  program.upload(4, many).end_batch(log);
  program.make(5, 4).end_batch(log);
  EXPECT_TRUE(log.has_newly_unlogged());
  program.free(4).end_batch(log);
  EXPECT_TRUE(log.has_newly_unlogged()) << "5 was made from it";
  program.free(5).end_batch(log);
  EXPECT_FALSE(log.has_newly_unlogged());
}

TEST_F(Losses, nothing_is_left_of_a_log_that_is_cleared) {
  program.upload(1, few).end_batch(log);
  log.note_shared(1);
  EXPECT_EQ(log.note_told(1, {{1, 5}}).size(), 1);
  log.clear();
  EXPECT_FALSE(log.has_shared());
  EXPECT_FALSE(log.has_foreign());
  EXPECT_EQ(log.note_told(1, {{1, 5}}).size(), 1) << "other engines count anew";
}

/// A random program, batches that are told late, and files that are saved over: what is lost is what was
/// computed from such a file, and all else is computed as it was.
void play(testing::Choices& choices) {
  struct Array {
    std::uint64_t value;
    Ids loads;  // from which it was computed
  };
  CommandLog log;
  Program program;
  std::map<ArrayId, Array> living;
  std::map<std::string, Ids> loaded;
  Ids gone;  // loads of files that were saved over
  std::vector<CommandLog::Entry> late;
  ArrayId last = 0;
  std::uint64_t number = 0;
  const std::vector<std::string> files = {::testing::TempDir() + "losses-f",
                                          ::testing::TempDir() + "losses-g"};
  for (const auto& path : files) std::ofstream(path) << std::string(8 * few, ' ');
  const auto any = [&] { return std::next(living.begin(), choices.below(static_cast<int>(living.size()))); };
  const auto add_late = [&] {
    for (auto& entry : std::exchange(late, {})) log.add(std::move(entry), false);
  };
  const auto end_batch = [&] {
    auto entry = program.end_batch(++number);
    if (choices.chance(15)) return late.push_back(std::move(entry));
    log.add(std::move(entry), late.empty());
    add_late();
  };
  for (int turn = 0; turn < 60; ++turn) {
    const int what = living.size() < 3 ? choices.below(20) : choices.below(100);
    if (what < 10) {
      program.upload(++last, few);
      living[last] = {new_value(last), {}};
    } else if (what < 20) {
      const auto& path = choices.pick(files);
      program.load(++last, path);
      loaded[path].insert(last);
      living[last] = {new_value(last), {last}};
    } else if (what < 45) {
      const auto from = any();
      program.make(++last, from->first);
      living[last] = {made_value(from->second.value), from->second.loads};
    } else if (what < 70) {
      auto to = any(), from = any();
      if (to == from) continue;
      program.assign(to->first, from->first);
      to->second.value = written_value(to->second.value, from->second.value);
      to->second.loads.insert(from->second.loads.begin(), from->second.loads.end());
    } else if (what < 80) {
      const auto dead = any();
      program.free(dead->first);
      living.erase(dead);
      end_batch();  // nothing uses it behind that
    } else if (what < 92) {
      end_batch();
    } else if (what < 96) {
      log.prune();
    } else {
      end_batch();
      add_late();
      const auto& path = choices.pick(files);
      log.lose_file(path);
      gone.merge(loaded[path]);
    }
  }
  end_batch();
  add_late();
  CommandLog next, after;
  next.read(log.written(0, true));
  after.append(next, 1);
  for (const auto* each : {&log, &next, &after}) {
    const auto again = repeat(*each);
    for (const auto& [id, array] : living) {
      const bool is_lost = std::any_of(array.loads.begin(), array.loads.end(),
                                       [&](ArrayId load) { return gone.contains(load); });
      ASSERT_EQ(again.lost.contains(id), is_lost) << id;
      if (is_lost) continue;
      ASSERT_EQ(again.values.at(id), array.value) << id;
    }
  }
}

TEST_F(Losses, of_random_programs) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Choices choices(seed);
    play(choices);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace gamelan::kernel
