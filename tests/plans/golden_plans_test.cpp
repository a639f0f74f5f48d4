// SPDX-License-Identifier: BSD-3-Clause
// What the planner makes of a dozen programs, against the text in *.plan. When a change of a plan is meant,
// run with --update, and read the difference. Every plan is verified on the way.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tests/plans/programs.hpp"

namespace gamelan::tests {
namespace {

bool is_update = false;

std::filesystem::path file_of(const GoldenProgram& program) {
  return std::filesystem::path(GAMELAN_GOLDEN_PLANS) / (program.name + ".plan");
}

/// The loop of a command as the notebook records it: the dtype of its first array.
void fill_loops(protocol::Batch& batch) {
  for (auto& command : batch.commands) {
    command.loop = command.out.dtype;
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<protocol::View>(&operand)) {
        command.loop = view->dtype;
        break;
      }
  }
}

std::string text_of(const GoldenProgram& program) {
  engine::plan::BatchWriter writer(program.ranks, program.disabled);
  program.record(writer);
  fill_loops(writer.batch());
  std::string text = "# " + program.text + "\n# " + std::to_string(program.ranks) + " ranks";
  for (const auto& name : program.disabled) text += ", without " + name;
  return text + "\n" + engine::plan::dump(writer.plan());
}

class GoldenPlan : public testing::TestWithParam<GoldenProgram> {};

TEST_P(GoldenPlan, is_as_written) {
  const auto text = text_of(GetParam());
  const auto path = file_of(GetParam());
  if (is_update) std::ofstream(path) << text;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is not there: run golden_plans_test --update";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "when this is meant: golden_plans_test --update";
}

INSTANTIATE_TEST_SUITE_P(All, GoldenPlan, testing::ValuesIn(golden_programs()),
                         [](const auto& each) { return each.param.name; });

TEST(GoldenPlans, are_of_programs_that_there_are) {
  for (const auto& entry : std::filesystem::directory_iterator(GAMELAN_GOLDEN_PLANS)) {
    if (entry.path().extension() != ".plan") continue;
    const auto& all = golden_programs();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& program) {
      return file_of(program) == entry.path();
    })) << entry.path();
  }
}

}  // namespace
}  // namespace gamelan::tests

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int k = 1; k < argc; ++k) gamelan::tests::is_update |= std::string_view(argv[k]) == "--update";
  return RUN_ALL_TESTS();
}
