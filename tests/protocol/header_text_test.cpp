// SPDX-License-Identifier: BSD-3-Clause
// Headers that are read without a parser. The parser is the oracle: what one of them accepts must mean the
// same to the other.
#include "protocol/header_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace gamelan::protocol::test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(ShortFields, are_what_a_short_header_says) {
  ShortHeader header("batch", largest);
  header.put("commands", 3);
  header.put("heard", 0);  // left out
  header.put("a_name", 10);
  const std::string text = std::move(header).text();
  const auto fields = ShortFields::of(text);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->type, "batch");
  EXPECT_EQ(fields->numbers.size(), 3u);
  EXPECT_EQ(fields->find("seq"), largest);
  EXPECT_EQ(fields->find("commands"), 3u);
  EXPECT_EQ(fields->find("a_name"), 10u);
  EXPECT_FALSE(fields->find("heard"));
  EXPECT_FALSE(fields->find("type"));
}

TEST(ShortFields, leave_every_other_text_to_the_parser) {
  for (const char* text : {"",
                           "{",
                           "{}",
                           "[]",
                           R"({"seq":1})",
                           R"({"seq":1,"type":"batch"})",
                           R"({"type":"batch")",
                           R"({"type":"batch"}})",
                           R"({"type":"batch"} )",
                           R"({"type": "batch"})",
                           R"({"type":"Batch"})",
                           R"({"type":""})",
                           R"({"type":1})",
                           R"({"type":"ba\u0074ch"})",
                           R"({"type":"batch",})",
                           R"({"type":"batch","seq":})",
                           R"({"type":"batch","seq":-1})",
                           R"({"type":"batch","seq":+1})",
                           R"({"type":"batch","seq":01})",
                           R"({"type":"batch","seq":1.0})",
                           R"({"type":"batch","seq":1e2})",
                           R"({"type":"batch","seq":18446744073709551616})",
                           R"({"type":"batch","seq":"1"})",
                           R"({"type":"batch","seq":1,"seq":2})",
                           R"({"type":"batch","type":2})",
                           R"({"type":"batch","seq":1 })",
                           R"({"type":"batch","s q":1})",
                           R"({"type":"batch","":1})",
                           R"({"type":"batch","seq":1,"explain":true})",
                           R"({"type":"batch";"seq":1})"})
    EXPECT_FALSE(ShortFields::of(text)) << text;
}

TEST(ShortFields, are_few) {
  const auto header_of = [](int numbers) {
    ShortHeader header("batch", 1);
    for (int number = 1; number < numbers; ++number)
      header.put(std::string(static_cast<std::size_t>(number), 'a').c_str(), 1);
    return std::move(header).text();
  };
  EXPECT_TRUE(ShortFields::of(header_of(9)));
  EXPECT_FALSE(ShortFields::of(header_of(100)));
}

TEST(ShortFields, of_damaged_texts_mean_what_the_parser_says) {
  std::mt19937_64 random(7);
  const std::string letters = "{}\",:0123456789abz_ -.e";
  int accepted = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text = R"({"type":"reply","seq":120,"payloads":1})";
    for (auto damages = random() % 3 + 1; damages > 0; --damages) {
      const auto at = random() % text.size();
      const char letter = letters[random() % letters.size()];
      if (random() % 2 == 0)
        text[at] = letter;
      else if (random() % 2 == 0)
        text.insert(at, 1, letter);
      else
        text.erase(at, 1);
    }
    const auto fields = ShortFields::of(text);
    if (!fields) continue;
    ++accepted;
    const Json json = Json::parse(text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << text;
    EXPECT_EQ(json.size(), fields->numbers.size() + 1) << text;
    EXPECT_EQ(json.at("type").get<std::string>(), fields->type) << text;
    for (const auto& [name, number] : fields->numbers) {
      EXPECT_TRUE(json.at(std::string(name)).is_number_unsigned()) << text;
      EXPECT_EQ(json.at(std::string(name)).get<std::uint64_t>(), number) << text;
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace gamelan::protocol::test
