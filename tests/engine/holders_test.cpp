// SPDX-License-Identifier: BSD-3-Clause
// Who holds which array: what is freed when somebody lets go.
#include "engine/session/holders.hpp"

#include <gtest/gtest.h>

namespace gamelan::engine {
namespace {

using Ids = std::vector<protocol::ArrayId>;
constexpr Holders::Holder ann = 7, bob = 9;

struct Held : testing::Test {
  Held() {
    holders.introduce(ann, "Ann");
    for (protocol::ArrayId id = 1; id <= 3; ++id) holders.note(id, ann, {"a.py", static_cast<int>(id)}, id);
    holders.note(4, bob, {});
  }
  /// What is freed of these.
  Ids let_go(Holders::Holder holder, Ids ids) {
    holders.let_go(holder, ids);
    for (const auto id : ids) holders.forget(id);
    return ids;
  }
  Holders holders;
};

TEST_F(Held, a_client_frees_its_own_arrays_and_no_others) {
  EXPECT_EQ(let_go(ann, {1, 4, 5}), (Ids{1, 5}));  // 5: not known here, perhaps a lost one
  EXPECT_EQ(let_go(0, {2, 4}), (Ids{2, 4}));
  EXPECT_EQ(holders.leave(ann, false).frees, (Ids{3}));
  EXPECT_TRUE(holders.leave(0, false).frees.empty());
}

TEST_F(Held, a_published_array_lives_as_long_as_its_name_and_who_attached_it) {
  holders.publish("x", {1, ann, "about"});
  EXPECT_EQ(let_go(ann, {1}), Ids{});
  EXPECT_EQ(holders.attach("x", bob).about, "about");
  EXPECT_EQ(holders.attach("x", bob).array, 1U);
  EXPECT_EQ(holders.of(1), std::set<Holders::Holder>{bob});
  EXPECT_EQ(holders.unpublish("x"), Ids{});
  EXPECT_EQ(let_go(bob, {1}), Ids{});
  EXPECT_EQ(let_go(bob, {1}), Ids{1}) << "as often as it was attached";
}

TEST_F(Held, who_leaves_frees_what_nobody_else_holds) {
  holders.publish("x", {1, ann, ""});
  holders.publish("y", {2, ann, ""});
  holders.attach("y", bob);
  EXPECT_EQ(holders.leave(ann, false).frees, Ids{3});
  EXPECT_EQ(holders.who(ann), "Ann") << "its name is still at x";
  EXPECT_EQ(holders.unpublish("x"), Ids{1});
  EXPECT_EQ(holders.leave(bob, false).frees, Ids{4});
  EXPECT_EQ(holders.unpublish("y"), Ids{2});
}

TEST_F(Held, who_clears_takes_back_what_it_has_published) {
  holders.publish("x", {1, ann, ""});
  holders.publish("y", {2, ann, ""});
  holders.attach("y", bob);
  const auto parted = holders.leave(ann, true);
  EXPECT_EQ(parted.frees, (Ids{1, 2, 3}));
  EXPECT_EQ(parted.lost, Ids{2});
  EXPECT_TRUE(holders.published().empty());
  holders.note(2, ann, {});  // computed again
  EXPECT_EQ(let_go(bob, {2}), Ids{}) << "it is not Bob's any more";
}

TEST_F(Held, errors_name_the_publisher_and_the_names_that_there_are) {
  holders.publish("x", {1, ann, ""});
  try {
    holders.publish("x", {4, bob, ""});
    FAIL();
  } catch (const protocol::Error& error) {
    EXPECT_EQ(error.kind(), protocol::ErrorKind::value);
    EXPECT_NE(std::string(error.what()).find("by Ann"), std::string::npos);
  }
  try {
    holders.attach("z", bob);
    FAIL();
  } catch (const protocol::Error& error) {
    EXPECT_EQ(error.kind(), protocol::ErrorKind::key);
    EXPECT_NE(std::string(error.what()).find("'x'"), std::string::npos);
  }
  EXPECT_THROW(holders.unpublish("z"), protocol::Error);
}

TEST_F(Held, who_rejoins_keeps_what_others_hold) {
  holders.publish("x", {1, ann, ""});
  holders.publish("y", {2, ann, ""});
  holders.attach("y", bob);
  holders.unpublish("y");
  holders.leave(ann, false);  // its lease was over
  EXPECT_FALSE(holders.of(1).contains(ann));
  const auto rejoined = holders.rejoin(ann);
  EXPECT_EQ(rejoined.kept, (Ids{1, 2}));
  EXPECT_EQ(holders.of(2), (std::set<Holders::Holder>{ann, bob}));
  EXPECT_EQ(holders.unpublish("x"), Ids{}) << "Ann has it again";
  EXPECT_EQ(let_go(ann, {1}), Ids{1});
  EXPECT_EQ(holders.rejoin(bob).frees, Ids{4});
  holders.introduce(bob, "Bob");
  holders.rejoin(bob);
  EXPECT_EQ(holders.who(bob), "Bob") << "it has said so before";
}

TEST_F(Held, an_heir_gets_all_and_hears_what_was_written_since_the_mark) {
  constexpr Holders::Holder heir = 11;
  holders.note_write(1, ann, 5);
  holders.mark(ann, 70, 5);
  holders.note_write(2, ann, 6);
  holders.publish("x", {3, ann, "about"});
  holders.publish("theirs", {4, bob, ""});
  holders.attach("theirs", ann);
  const auto got = holders.inherit(heir, ann, 70);
  EXPECT_EQ(got.same, Ids{1});
  EXPECT_EQ(got.others, Ids{2});
  EXPECT_EQ(got.shared, (Ids{3, 4}));
  EXPECT_EQ(got.written, Ids{}) << "neither was written since";
  ASSERT_EQ(got.names.size(), 1U);
  EXPECT_EQ(got.names[0].first, "x");
  EXPECT_EQ(holders.heir_of(ann), heir);
  EXPECT_EQ(let_go(ann, {1}), Ids{}) << "it is Ann's no more";
  EXPECT_EQ(let_go(heir, {1}), Ids{1});
  EXPECT_TRUE(holders.inherit(heir, ann, 70).same.empty()) << "a second time there is nothing";
}

TEST_F(Held, who_inherits_after_an_heir_gets_what_that_one_has) {
  constexpr Holders::Holder heir = 11, last = 13;
  holders.mark(ann, 70, 3);
  holders.publish("x", {3, ann, "about"});
  holders.inherit(heir, ann, 70);
  holders.note_write(2, heir, 6);
  holders.note_write(3, heir, 6);
  holders.note(5, heir, {}, 6);
  const auto got = holders.inherit(last, ann, 70);
  EXPECT_EQ(got.same, Ids{1});
  EXPECT_EQ(got.others, (Ids{2, 5}));
  EXPECT_EQ(got.shared, Ids{3});
  EXPECT_EQ(got.written, Ids{3});
  ASSERT_EQ(got.names.size(), 1U);
  EXPECT_EQ(holders.owner_after(ann), last);
  EXPECT_EQ(holders.leave(last, false).frees, (Ids{1, 2, 5}));
  EXPECT_TRUE(holders.marks_of(ann).empty()) << "nobody needs them any more";
  holders.inherit(heir, last, 0);
  EXPECT_EQ(holders.owner_after(heir), heir) << "one that comes back";
  EXPECT_EQ(holders.owner_after(ann), heir);
}

TEST_F(Held, without_the_mark_everything_counts_as_changed) {
  holders.mark(ann, 70, 5);
  const auto got = holders.inherit(11, ann, 71);
  EXPECT_TRUE(got.same.empty());
  EXPECT_EQ(got.others, (Ids{1, 2, 3}));
}

}  // namespace
}  // namespace gamelan::engine
