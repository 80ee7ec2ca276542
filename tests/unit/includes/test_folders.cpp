// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/includes/folder_graph.hpp"
#include "tests/unit/includes/link_lines.hpp"

namespace {

using namespace kerb::test;

const std::string kHead = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n";

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

void expect_none(const std::vector<std::string>& complaints) {
  for (const std::string& line : complaints) std::printf("%s\n", line.c_str());
  TEST_ASSERT_EQUAL_MESSAGE(0, complaints.size(), "see the lines above");
}

TEST(the_projects_folders_form_no_circle) {
  const std::vector<SourceFile> files = read_tree(KERB_SOURCE_DIR);
  std::vector<std::string> found;
  for (const std::string outer :
       {"drivers", "gpu", "firmware", "tools", "tools/simulator", "tools/kerblab"}) {
    const FolderGraph graph = folder_graph(files, outer);
    std::printf("%s: %zu folders on %d floors, %zu arrows, of them %zu in circles\n", outer.c_str(),
                graph.folders.size(), count_floors(graph), graph.edges.size(),
                edges_in_circles(graph).size());
    const bool may_be_flat = outer == "tools/kerblab";
    TEST_ASSERT_TRUE_MESSAGE(may_be_flat || graph.folders.size() > 3, "where is the project?");
    for (std::string& line : circle_complaints(graph)) found.push_back(std::move(line));
  }
  expect_none(found);
}

TEST(the_firmwares_folders_stand_in_the_order_a_frame_takes) {
  const FolderGraph graph = folder_graph(read_tree(KERB_SOURCE_DIR), "firmware");
  const std::vector<std::string> order =
      declared_order(text_of(KERB_SOURCE_DIR "/firmware/CMakeLists.txt"));
  const std::vector<std::string> against = order_complaints(graph, order);
  std::printf("firmware: %zu folders declared, %zu arrows up\n", order.size(), against.size());
  expect_none(against);
}

TEST(every_include_of_another_target_is_a_link_line) {
  const BuildTargets build = read_targets(text_of(KERB_TARGETS_FILE));
  TEST_ASSERT_GREATER_THAN_MESSAGE(3, build.targets.size(), "where are the targets?");
  const LinkReport report = check_links(read_tree(KERB_SOURCE_DIR), build);
  std::printf("%zu targets, %d include edges between them, %zu without a link line\n",
              build.targets.size(), report.edges, report.complaints.size());
  expect_none(report.complaints);
}

/// A small firmware: main -> ego -> types, and main -> types.
void write_good_tree(const TempFolder& tree) {
  tree.write("firmware/CMakeLists.txt",
             "# add_subdirectory(none)\nadd_subdirectory(types)\nadd_subdirectory(ego)\n"
             "add_subdirectory(main)\n");
  tree.write("firmware/types/person.hpp", kHead);
  tree.write("firmware/types/person.cpp", kHead + "#include \"firmware/types/person.hpp\"\n");
  tree.write("firmware/ego/motion.hpp", kHead + "#include \"firmware/types/person.hpp\"\n");
  tree.write("firmware/ego/motion.cpp", kHead + "#include \"firmware/ego/motion.hpp\"\n");
  tree.write("firmware/main/run.hpp", kHead + "#include \"firmware/ego/motion.hpp\"\n");
  tree.write("firmware/main/main.cpp", kHead + "#include \"firmware/types/person.hpp\"\n");
}

const std::string kGoodTargets =
    "target types STATIC_LIBRARY firmware/types\n"
    "source types firmware/types/person.cpp\n"
    "target ego STATIC_LIBRARY firmware/ego\n"
    "source ego firmware/ego/motion.cpp\n"
    "private ego types\n"
    "public ego types\n"
    "target kerbwatch EXECUTABLE firmware/main\n"
    "source kerbwatch firmware/main/main.cpp\n"
    "private kerbwatch ego\n"
    "private kerbwatch types\n";

/// All complaints of the small tree with one file more.
std::string complaints_with(const char* path, const std::string& text,
                            const std::string& targets = kGoodTargets) {
  const TempFolder tree;
  write_good_tree(tree);
  if (path != nullptr) tree.write(path, kHead + text);
  const std::vector<SourceFile> files = read_tree(tree.path());
  const FolderGraph graph = folder_graph(files, "firmware");
  return joined(circle_complaints(graph)) +
         joined(
             order_complaints(graph, declared_order(text_of(tree.at("firmware/CMakeLists.txt"))))) +
         joined(check_links(files, read_targets(targets)).complaints);
}

TEST(a_tree_in_order_has_no_complaints_and_is_counted) {
  TEST_ASSERT_EQUAL_STRING("", complaints_with(nullptr, "").c_str());
  const TempFolder tree;
  write_good_tree(tree);
  const std::vector<SourceFile> files = read_tree(tree.path());
  const FolderGraph graph = folder_graph(files, "firmware");
  TEST_ASSERT_EQUAL(3, graph.folders.size());
  TEST_ASSERT_EQUAL(3, graph.edges.size());
  TEST_ASSERT_EQUAL(3, count_floors(graph));
  TEST_ASSERT_EQUAL(3, check_links(files, read_targets(kGoodTargets)).edges);
}

TEST(an_arrow_up_closes_a_circle_and_is_against_the_order) {
  TEST_ASSERT_EQUAL_STRING(
      "firmware: folders include each other in a circle: ego -> types -> ego\n"
      "  firmware/ego/motion.hpp:3: includes firmware/types/person.hpp\n"
      "  firmware/types/bad.hpp:3: includes firmware/ego/motion.hpp\n"
      "firmware/types/bad.hpp:3: includes firmware/ego/motion.hpp: ego stands after types in "
      "firmware/CMakeLists.txt\n"
      "firmware/types/bad.hpp:3: includes firmware/ego/motion.hpp: types needs a PUBLIC link to "
      "ego\n",
      complaints_with("firmware/types/bad.hpp", "#include \"firmware/ego/motion.hpp\"\n").c_str());
}

TEST(a_circle_of_three_is_named_with_an_include_for_each_arrow) {
  const TempFolder tree;
  write_good_tree(tree);
  tree.write("firmware/types/bad.hpp", kHead + "#include \"firmware/main/run.hpp\"\n");
  const FolderGraph graph = folder_graph(read_tree(tree.path()), "firmware");
  TEST_ASSERT_EQUAL(4, edges_in_circles(graph).size());
  TEST_ASSERT_EQUAL(3, count_floors(graph));
  const FolderGraph longer = folder_graph(
      {read_source("a/x/1.hpp", "#include \"a/y/1.hpp\"\n"),
       read_source("a/y/1.hpp", "\n#include \"a/z/1.hpp\"\n#include \"a/low/1.hpp\"\n"),
       read_source("a/z/1.hpp", "#include \"a/x/1.hpp\"\n"), read_source("a/low/1.hpp", "")},
      "a");
  TEST_ASSERT_EQUAL_STRING(
      "a: folders include each other in a circle: x -> y -> z -> x\n"
      "  a/x/1.hpp:1: includes a/y/1.hpp\n"
      "  a/y/1.hpp:2: includes a/z/1.hpp\n"
      "  a/z/1.hpp:1: includes a/x/1.hpp\n",
      joined(circle_complaints(longer)).c_str());
  TEST_ASSERT_EQUAL(3, edges_in_circles(longer).size());
  TEST_ASSERT_EQUAL(4, count_floors(longer));
}

TEST(an_arrow_up_without_a_circle_is_against_the_order) {
  const FolderGraph graph =
      folder_graph({read_source("a/low/1.hpp", "#include \"a/high/1.hpp\"\n")}, "a");
  TEST_ASSERT_EQUAL_STRING("", joined(circle_complaints(graph)).c_str());
  TEST_ASSERT_EQUAL_STRING(
      "a/low/1.hpp:1: includes a/high/1.hpp: high stands after low in a/CMakeLists.txt\n",
      joined(order_complaints(graph, {"low", "high"})).c_str());
  TEST_ASSERT_EQUAL_STRING("a/high: not in a/CMakeLists.txt\n",
                           joined(order_complaints(graph, {"low"})).substr(0, 32).c_str());
}

TEST(each_missing_link_line_is_found) {
  struct Case {
    std::string dropped;
    const char* expected;
  };
  const Case cases[] = {
      {"public ego types\n",
       "firmware/ego/motion.hpp:3: includes firmware/types/person.hpp: ego needs a PUBLIC link to "
       "types\n"},
      {"private kerbwatch ego\n",
       "firmware/main/run.hpp:3: includes firmware/ego/motion.hpp: kerbwatch needs a PUBLIC or "
       "PRIVATE link to ego\n"},
      {"private kerbwatch types\n",
       "firmware/main/main.cpp:3: includes firmware/types/person.hpp: kerbwatch needs a PUBLIC or "
       "PRIVATE link to types\n"},
  };
  for (const Case& c : cases) {
    std::string targets = kGoodTargets;
    targets.erase(targets.find(c.dropped), c.dropped.size());
    TEST_ASSERT_EQUAL_STRING_MESSAGE(c.expected, complaints_with(nullptr, "", targets).c_str(),
                                     c.dropped.c_str());
  }
}

TEST(a_private_link_is_enough_for_a_source_and_not_for_a_header) {
  const std::string include = "#include \"firmware/aim/aim.hpp\"\n";
  const std::string targets = "target aim INTERFACE_LIBRARY firmware/aim\nprivate ego aim\n";
  const auto check = [&](const char* path) {
    return joined(check_links({read_source("firmware/aim/aim.hpp", ""), read_source(path, include)},
                              read_targets(kGoodTargets + targets))
                      .complaints);
  };
  TEST_ASSERT_EQUAL_STRING("", check("firmware/ego/motion.cpp").c_str());
  TEST_ASSERT_EQUAL_STRING(
      "firmware/ego/motion.hpp:1: includes firmware/aim/aim.hpp: ego needs a PUBLIC link to aim\n",
      check("firmware/ego/motion.hpp").c_str());
}

TEST(a_list_of_libraries_stands_for_its_links) {
  std::string targets = kGoodTargets;
  targets.erase(targets.find("private kerbwatch ego\n"));
  targets += "private kerbwatch types\nprivate kerbwatch list\n";
  TEST_ASSERT_NOT_EQUAL(std::string::npos,
                        complaints_with(nullptr, "", targets).find("link to ego"));
  targets += "target list INTERFACE_LIBRARY firmware\npublic list ego\n";
  TEST_ASSERT_EQUAL_STRING("", complaints_with(nullptr, "", targets).c_str());
}

}  // namespace
