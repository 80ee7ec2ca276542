// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/includes/include_rules.hpp"

namespace kerb::test {

/// Which folder directly inside one folder includes which other, such as firmware/risk and
/// firmware/track inside firmware. Files that lie directly in the outer folder do not count.
struct FolderGraph {
  using Edge = std::pair<std::string, std::string>;  ///< from, to
  std::string outer;                                 ///< "firmware", "tools/simulator"
  std::vector<std::string> folders;                  ///< names inside `outer`, sorted
  std::map<Edge, std::string>
      edges;  ///< with one include of each: "firmware/a/x.hpp:3: includes firmware/b/y.hpp"
};

FolderGraph folder_graph(const std::vector<SourceFile>& files, std::string_view outer);

/// A shortest circle that goes through the first folder that is in one: a, b, c stands for
/// a -> b -> c -> a. Empty when there is none.
std::vector<std::string> find_circle(const FolderGraph& graph);

/// Edges between folders that reach each other: what must go for the graph to have no circle.
std::vector<FolderGraph::Edge> edges_in_circles(const FolderGraph& graph);

/// The number of folders on the longest way down that comes to no folder twice.
int count_floors(const FolderGraph& graph);

/// The names of the add_subdirectory lines of a CMakeLists.txt, in order.
std::vector<std::string> declared_order(std::string_view cmake_text);

/// Lines about circles: the circle, and one include for each of its edges. Empty when there is
/// none.
std::vector<std::string> circle_complaints(const FolderGraph& graph);

/// Lines about folders that include one declared after them, or are not declared at all.
std::vector<std::string> order_complaints(const FolderGraph& graph,
                                          const std::vector<std::string>& order);

}  // namespace kerb::test
