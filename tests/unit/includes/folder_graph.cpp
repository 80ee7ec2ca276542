// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/includes/folder_graph.hpp"

#include <algorithm>
#include <set>

namespace kerb::test {
namespace {

/// "risk" of "firmware/risk/pace.cpp" inside "firmware"; empty for a file elsewhere or directly in
/// it.
std::string folder_inside(std::string_view path, std::string_view outer) {
  if (path.substr(0, outer.size()) != outer || path.size() <= outer.size() ||
      path[outer.size()] != '/')
    return "";
  path.remove_prefix(outer.size() + 1);
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? "" : std::string{path.substr(0, slash)};
}

std::vector<std::string> below(const FolderGraph& graph, const std::string& from) {
  std::vector<std::string> to;
  for (const auto& [edge, include] : graph.edges)
    if (edge.first == from) to.push_back(edge.second);
  return to;
}

/// The shortest way from `from` to `to`, both included; empty when there is none. With from == to,
/// a circle.
std::vector<std::string> shortest_way(const FolderGraph& graph, const std::string& from,
                                      const std::string& to) {
  std::map<std::string, std::string> came_from;
  std::vector<std::string> queue{from};
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const std::string& folder : below(graph, queue[next])) {
      if (came_from.count(folder) != 0) continue;
      came_from[folder] = queue[next];
      queue.push_back(folder);
      if (folder != to) continue;
      std::vector<std::string> way{to};
      do way.insert(way.begin(), came_from[way.front()]);
      while (way.front() != from);
      return way;
    }
  return {};
}

/// The number of folders on the longest way from `from` that avoids `passed`.
int longest_way(const FolderGraph& graph, const std::string& from, std::set<std::string> passed) {
  passed.insert(from);
  int longest = 0;
  for (const std::string& to : below(graph, from))
    if (passed.count(to) == 0) longest = std::max(longest, longest_way(graph, to, passed));
  return 1 + longest;
}

bool reaches(const FolderGraph& graph, const std::string& from, const std::string& to) {
  return !shortest_way(graph, from, to).empty();
}

}  // namespace

FolderGraph folder_graph(const std::vector<SourceFile>& files, std::string_view outer) {
  FolderGraph graph;
  graph.outer = outer;
  std::set<std::string> folders;
  for (const SourceFile& file : files) {
    const std::string from = folder_inside(file.path, outer);
    if (from.empty()) continue;
    folders.insert(from);
    for (const SourceFile::Include& include : file.includes) {
      if (!include.quoted) continue;
      const std::string to = folder_inside(include.target, outer);
      if (to.empty() || to == from) continue;
      folders.insert(to);
      graph.edges.emplace(
          FolderGraph::Edge{from, to},
          file.path + ":" + std::to_string(include.line) + ": includes " + include.target);
    }
  }
  graph.folders.assign(folders.begin(), folders.end());
  return graph;
}

std::vector<std::string> find_circle(const FolderGraph& graph) {
  for (const std::string& folder : graph.folders) {
    std::vector<std::string> way = shortest_way(graph, folder, folder);
    if (way.empty()) continue;
    way.pop_back();
    return way;
  }
  return {};
}

std::vector<FolderGraph::Edge> edges_in_circles(const FolderGraph& graph) {
  std::vector<FolderGraph::Edge> found;
  for (const auto& [edge, include] : graph.edges)
    if (reaches(graph, edge.second, edge.first)) found.push_back(edge);
  return found;
}

int count_floors(const FolderGraph& graph) {
  int highest = 0;
  for (const std::string& folder : graph.folders)
    highest = std::max(highest, longest_way(graph, folder, {}));
  return highest;
}

std::vector<std::string> declared_order(std::string_view cmake_text) {
  constexpr std::string_view kCall = "add_subdirectory(";
  std::vector<std::string> order;
  for (std::size_t at = 0; at < cmake_text.size();) {
    const std::size_t end = std::min(cmake_text.find('\n', at), cmake_text.size());
    const std::string_view line = cmake_text.substr(at, end - at);
    at = end + 1;
    const std::size_t call = line.find(kCall), comment = line.find('#');
    if (call == std::string_view::npos || comment < call) continue;
    const std::size_t start = call + kCall.size();
    order.emplace_back(line.substr(start, line.find_first_of(" )", start) - start));
  }
  return order;
}

std::vector<std::string> circle_complaints(const FolderGraph& graph) {
  const std::vector<std::string> circle = find_circle(graph);
  if (circle.empty()) return {};
  std::string names = graph.outer + ": folders include each other in a circle: ";
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const std::string& next = circle[(i + 1) % circle.size()];
    names += circle[i] + " -> ";
    lines.push_back("  " + graph.edges.at({circle[i], next}));
  }
  lines.insert(lines.begin(), names + circle.front());
  return lines;
}

std::vector<std::string> order_complaints(const FolderGraph& graph,
                                          const std::vector<std::string>& order) {
  const auto place = [&](const std::string& folder) {
    return std::find(order.begin(), order.end(), folder) - order.begin();
  };
  std::vector<std::string> lines;
  for (const std::string& folder : graph.folders)
    if (place(folder) == static_cast<std::ptrdiff_t>(order.size()))
      lines.push_back(graph.outer + "/" + folder + ": not in " + graph.outer + "/CMakeLists.txt");
  for (const auto& [edge, include] : graph.edges)
    if (place(edge.second) > place(edge.first))
      lines.push_back(include + ": " + edge.second + " stands after " + edge.first + " in " +
                      graph.outer + "/CMakeLists.txt");
  return lines;
}

}  // namespace kerb::test
