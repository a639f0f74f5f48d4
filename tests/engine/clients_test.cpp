// SPDX-License-Identifier: BSD-3-Clause
// The book of clients: what is new, what is said again, what is kept and for how long.
#include "engine/serving/clients.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "protocol/parts.hpp"

namespace gamelan::engine {
namespace {

using protocol::Bytes;
using Seen = Clients::Seen;

Clients::SharedFrames reply_of(std::size_t bytes) {
  return std::make_shared<const protocol::Frames>(protocol::Frames{Bytes(bytes)});
}

struct Book : testing::Test {
  Bytes name = protocol::random_client_name();
  Clients clients;
  Bytes routing_id(std::uint32_t connection) const { return protocol::routing_id({name, connection}); }
};

TEST_F(Book, a_request_goes_from_fresh_to_waiting_to_answered_to_forgotten) {
  const Bytes client = clients.hear(routing_id(1));
  EXPECT_EQ(clients.admit(client, 7), Seen::fresh);
  EXPECT_EQ(clients.admit(client, 7), Seen::waiting);
  const auto reply = reply_of(3);
  clients.answer(client, 7, reply);
  EXPECT_EQ(clients.admit(client, 7), Seen::answered);
  EXPECT_EQ(clients.reply(client, 7), reply);
  clients.release(client, 7);
  EXPECT_EQ(clients.admit(client, 7), Seen::forgotten);
  EXPECT_EQ(clients.reply(client, 7), nullptr);
  EXPECT_EQ(clients.admit(client, 8), Seen::fresh);
}

TEST_F(Book, replies_go_to_the_newest_connection_whatever_arrives_late) {
  const Bytes client = clients.hear(routing_id(1));
  EXPECT_EQ(clients.hear(routing_id(3)), client);
  EXPECT_EQ(clients.hear(routing_id(2)), client);  // read late
  EXPECT_EQ(clients.routing_id(client), routing_id(3));
  EXPECT_EQ(clients.admit(client, 1), Seen::fresh);
  clients.hear(routing_id(4));
  EXPECT_EQ(clients.admit(client, 1), Seen::waiting);
  EXPECT_EQ(clients.count(), 1U);
}

TEST_F(Book, who_gives_no_name_is_somebody_new_on_every_connection) {
  const Bytes given(5, std::byte{0});
  EXPECT_EQ(clients.hear(given), given);
  EXPECT_EQ(clients.admit(given, 1), Seen::fresh);
  EXPECT_EQ(clients.admit(given, 1), Seen::fresh);
  clients.answer(given, 1, reply_of(1));
  EXPECT_EQ(clients.reply(given, 1), nullptr);
  EXPECT_EQ(clients.routing_id(given), given);
  EXPECT_EQ(clients.count(), 0U);
}

TEST_F(Book, what_is_kept_is_bounded_and_the_newest_stays) {
  const Bytes client = clients.hear(routing_id(1));
  for (std::uint64_t seq = 1; seq <= 1'000; ++seq) {
    ASSERT_EQ(clients.admit(client, seq), Seen::fresh);
    clients.answer(client, seq, reply_of(10));
  }
  EXPECT_LE(clients.kept_replies(), 128U);
  EXPECT_EQ(clients.admit(client, 1), Seen::forgotten);  // not done again
  EXPECT_EQ(clients.admit(client, 1'000), Seen::answered);
}

TEST_F(Book, all_that_is_kept_for_all_clients_has_one_bound_in_bytes) {
  Clients few(Clients::Limits{.bytes = 1'000});
  std::vector<Bytes> names;
  for (std::uint32_t count = 0; count < 20; ++count) {
    names.push_back(few.hear(protocol::routing_id({protocol::random_client_name(), 1})));
    ASSERT_EQ(few.admit(names.back(), 1), Seen::fresh);
    few.answer(names.back(), 1, reply_of(300));
    EXPECT_LE(few.kept_bytes(), 1'000U);
    EXPECT_EQ(few.admit(names.back(), 1), Seen::answered) << "the newest stays";
  }
  EXPECT_EQ(few.kept_replies(), 3U);
  few.admit(names[0], 2);
  few.answer(names[0], 2, reply_of(5'000));
  EXPECT_EQ(few.kept_bytes(), 5'000U) << "whatever its size, and alone";
  few.release(names[0], 2);
  EXPECT_EQ(few.kept_bytes(), 0U);
  for (int count = 0; count < 1'000; ++count)
    few.hear(protocol::routing_id({protocol::random_client_name(), 1}));
  EXPECT_EQ(few.kept_bytes(), 0U);
}

TEST_F(Book, who_is_forgotten_takes_his_bytes_along) {
  const Bytes client = clients.hear(routing_id(1));
  clients.admit(client, 1);
  clients.answer(client, 1, reply_of(77));
  EXPECT_EQ(clients.kept_bytes(), 77U);
  for (int count = 0; count < 300; ++count)
    clients.hear(protocol::routing_id({protocol::random_client_name(), 1}));
  EXPECT_EQ(clients.kept_bytes(), 0U);
}

TEST_F(Book, replies_for_a_client_that_is_silent_for_long_are_dropped_and_not_made_again) {
  Clients brief(Clients::Limits{.silence = std::chrono::seconds(30)});
  auto now = Clients::Clock::now();
  const auto pass = [&](int seconds, int step) {
    for (int second = 0; second < seconds; second += step) brief.look(now += std::chrono::seconds(step));
  };
  const Bytes client = brief.hear(routing_id(1));
  brief.admit(client, 1);
  brief.answer(client, 1, reply_of(300));
  pass(25, 1);
  EXPECT_EQ(brief.kept_bytes(), 300U);
  pass(3'000, 3'000);  // this process was stopped for an hour: nobody could be heard
  EXPECT_EQ(brief.kept_bytes(), 300U);
  pass(10, 1);
  EXPECT_EQ(brief.kept_bytes(), 0U);
  EXPECT_EQ(brief.admit(client, 1), Seen::forgotten);
}

TEST_F(Book, clients_are_bounded_and_who_waits_is_not_forgotten) {
  const Bytes waiting = clients.hear(routing_id(1));
  clients.admit(waiting, 1);
  for (int count = 0; count < 1'000; ++count)
    clients.hear(protocol::routing_id({protocol::random_client_name(), 1}));
  EXPECT_LE(clients.count(), 256U);
  EXPECT_EQ(clients.admit(waiting, 1), Seen::waiting);
}

TEST_F(Book, a_lease_ends_once_and_a_client_that_is_heard_keeps_it) {
  Clients book({.bytes = 1000, .silence = std::chrono::hours(1), .lease = std::chrono::seconds(3)});
  const auto other = protocol::random_client_name();
  auto now = Clients::Clock::now();
  book.look(now);
  const Bytes client = book.hear(routing_id(1));
  book.hear(protocol::routing_id({other, 1}));
  book.set_holder(client, 5);
  book.set_holder(other, 6);
  for (int second = 0; second < 5; ++second) {
    book.look(now += std::chrono::seconds(1));
    EXPECT_FALSE(second < 2 && book.take_expired());
  }
  for (const auto holder : {book.take_expired()->holder, book.take_expired()->holder})
    EXPECT_TRUE(holder == 5 || holder == 6);
  EXPECT_FALSE(book.take_expired());

  book.set_holder(client, 5);
  book.set_holder(other, 5);  // the same program came back under another name
  book.set_holder(other, 0);  // and has left
  book.look(now += std::chrono::seconds(1));
  EXPECT_FALSE(book.take_expired());
}

TEST_F(Book, time_in_which_nobody_looked_is_no_silence) {
  Clients book({.bytes = 1000, .silence = std::chrono::hours(1), .lease = std::chrono::seconds(3)});
  auto now = Clients::Clock::now();
  book.look(now);
  book.set_holder(book.hear(routing_id(1)), 5);
  book.look(now += std::chrono::hours(1));  // this process was stopped
  EXPECT_FALSE(book.take_expired());
  book.look(now += std::chrono::seconds(2));
  EXPECT_TRUE(book.take_expired());
}

TEST_F(Book, a_connection_that_closes_ends_the_patience_with_whom_was_heard_just_before) {
  using namespace std::chrono_literals;
  Clients book;
  const auto routing = [](const auto& client) { return protocol::routing_id({client, 1}); };
  const auto silent = protocol::random_client_name(), lively = protocol::random_client_name();
  for (const auto& client : {silent, lively}) {
    book.hear(routing(client));
    book.set_holder(client, client == silent ? 5 : 6);
    book.set_patience(client, client == silent ? 600s : 300s);
  }
  EXPECT_EQ(book.patience(), 600s);
  book.note_closed(3s);  // both were heard just now: whoever it was, the other one will be heard
  EXPECT_EQ(book.patience(), 0s);
  std::this_thread::sleep_for(600ms);
  book.hear(routing(silent));
  EXPECT_EQ(book.patience(), 600s) << "it lives";
  for (int turn = 0; turn < 4; ++turn) {  // it is silent from now on, the other one is heard
    std::this_thread::sleep_for(200ms);
    book.hear(routing(lively));
  }
  EXPECT_EQ(book.patience(), 600s);
  book.note_closed(500ms);
  EXPECT_EQ(book.patience(), 600s) << "who was silent before is waited for when another one dies";
  book.hear(routing(lively));
  book.set_holder(silent, 0);
  EXPECT_EQ(book.patience(), 0s) << "a message that lay in a buffer is no sign of life";
}

TEST_F(Book, those_live_that_are_heard_or_waited_for_and_have_not_died) {
  using namespace std::chrono_literals;
  using Names = std::vector<std::string>;
  Clients book;
  auto now = Clients::Clock::now();
  book.look(now);
  const auto pass = [&](int seconds) {
    for (int second = 0; second < seconds; ++second) book.look(now += 1s);
  };
  const auto hear = [&](const Bytes& client) { return book.hear(protocol::routing_id({client, 1})); };
  const auto own = protocol::random_client_name(), guest = protocol::random_client_name(),
             stranger = protocol::random_client_name();
  book.set_holder(hear(own), 5, "own");
  book.set_holder(hear(guest), 6, "guest");
  book.set_patience(guest, 60s);
  hear(stranger);
  EXPECT_EQ(book.living_besides(own), Names{"guest"}) << "who has introduced itself";
  pass(10);
  EXPECT_EQ(book.living_besides(own), Names{"guest"}) << "it waits for the engines, as they do for it";
  pass(60);
  EXPECT_EQ(book.living_besides(own), Names{}) << "for so long";
  hear(guest);
  book.note_closed();
  EXPECT_EQ(book.living_besides(own), Names{"guest"}) << "it may have been another that died";
  pass(4);
  EXPECT_EQ(book.living_besides(own), Names{}) << "a lease that waits is no client";
  hear(guest);
  EXPECT_EQ(book.living_besides(own), Names{"guest"});
  book.set_holder(guest, 0);
  EXPECT_EQ(book.living_besides(own), Names{}) << "it has left";
}

TEST_F(Book, the_newest_client_is_not_forgotten_when_all_others_have_arrays) {
  Clients book({.bytes = 1000, .silence = std::chrono::hours(1), .lease = std::chrono::seconds(3)});
  for (std::uint64_t n = 1; n <= 300; ++n) {
    const auto client = book.hear(protocol::routing_id({protocol::random_client_name(), 1}));
    book.set_holder(client, n);
    EXPECT_TRUE(book.silence_of(n)) << n;
  }
  EXPECT_EQ(book.count(), 300U);
}

TEST_F(Book, the_last_heir_has_the_arrays) {
  Clients book({.bytes = 1000, .silence = std::chrono::hours(1), .lease = {}});
  const Bytes first = book.hear(routing_id(1));
  book.set_holder(first, 5);
  EXPECT_EQ(book.take_holder(5, 6), first);
  EXPECT_EQ(book.take_holder(5, 6), Bytes()) << "once";
  const Bytes second = book.hear(protocol::routing_id({protocol::random_client_name(), 1}));
  book.set_holder(second, 6);
  EXPECT_EQ(book.owner_after(5), 6U);
  EXPECT_EQ(book.take_holder(5, 7), second);
  EXPECT_EQ(book.owner_after(5), 7U);
  EXPECT_EQ(book.take_holder(7, 5), Bytes());
  EXPECT_EQ(book.owner_after(5), 5U) << "one that comes back";
}

TEST_F(Book, who_could_not_leave_leaves_later) {
  Clients book({.bytes = 1000, .silence = std::chrono::hours(1), .lease = {}});
  const auto client = book.hear(routing_id(1));
  book.set_holder(client, 5);
  EXPECT_FALSE(book.take_expired()) << "there are no leases";
  book.leave_later(client);
  const auto expired = book.take_expired();
  ASSERT_TRUE(expired);
  EXPECT_TRUE(expired->holder == 5 && expired->has_left);
  EXPECT_FALSE(book.take_expired());
}

}  // namespace
}  // namespace gamelan::engine
