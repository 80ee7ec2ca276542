// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/includes/link_lines.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

namespace kerb::test {
namespace {

namespace fs = std::filesystem;
using Target = BuildTargets::Target;

bool is_program(const Target& target) { return target.type == "EXECUTABLE"; }

bool is_header(const std::string& path) {
  const std::string extension = fs::path{path}.extension().string();
  return extension == ".hpp" || extension == ".h" || extension == ".cuh";
}

/// The targets by what they compile and where they stand.
class Owners {
 public:
  explicit Owners(const BuildTargets& build) {
    for (const Target& target : build.targets) {
      folders_[target.folder].push_back(&target);
      for (const std::string& source : target.sources) {
        compiled_.emplace(source, &target);
        compiled_.emplace(fs::path{source}.replace_extension().generic_string(), &target);
      }
    }
  }

  /// Null for a file of a folder that this build leaves out.
  [[nodiscard]] const Target* owner_of(const std::string& path) const {
    if (const auto found = compiled_.find(path); found != compiled_.end()) return found->second;
    const std::string stem = fs::path{path}.replace_extension().generic_string();
    if (const auto found = compiled_.find(stem); is_header(path) && found != compiled_.end())
      return found->second;
    for (fs::path folder = fs::path{path}.parent_path(); !folder.empty();
         folder = folder.parent_path()) {
      const auto here = folders_.find(folder.generic_string());
      if (here == folders_.end()) continue;
      const std::vector<const Target*>& targets = here->second;
      const auto library = std::find_if(targets.begin(), targets.end(),
                                        [](const Target* t) { return !is_program(*t); });
      return library != targets.end() ? *library : targets.front();
    }
    return nullptr;
  }

 private:
  std::map<std::string, std::vector<const Target*>> folders_;
  std::map<std::string, const Target*> compiled_;  ///< by source, and by source without its ending
};

/// `links` and, for each list among them, what it lists.
std::set<std::string> with_lists(const std::set<std::string>& links, const BuildTargets& build,
                                 const std::set<std::string>& lists) {
  std::set<std::string> all = links;
  for (const Target& target : build.targets)
    if (links.count(target.name) != 0 && lists.count(target.name) != 0)
      all.insert(target.public_links.begin(), target.public_links.end());
  return all;
}

}  // namespace

BuildTargets read_targets(std::string_view text) {
  BuildTargets build;
  std::istringstream in{std::string{text}};
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string kind, name, what, folder;
    words >> kind >> name >> what >> folder;
    if (kind == "target") {
      build.targets.push_back({name, what, folder, {}, {}, {}});
      continue;
    }
    const auto target = std::find_if(build.targets.begin(), build.targets.end(),
                                     [&](const Target& t) { return t.name == name; });
    if (target == build.targets.end()) continue;
    if (kind == "source") target->sources.insert(what);
    if (kind == "public") target->public_links.insert(what);
    if (kind == "private") target->links.insert(what);
  }
  return build;
}

LinkReport check_links(const std::vector<SourceFile>& files, const BuildTargets& build) {
  const Owners owners{build};
  std::set<std::string> lists;
  for (const Target& target : build.targets)
    if (target.type == "INTERFACE_LIBRARY") lists.insert(target.name);
  for (const SourceFile& file : files)
    if (const Target* owner = owners.owner_of(file.path)) lists.erase(owner->name);

  std::set<std::string> paths;
  for (const SourceFile& file : files) paths.insert(file.path);

  LinkReport report;
  std::set<std::pair<std::string, std::string>> edges, missing;
  for (const SourceFile& file : files) {
    const Target* from = owners.owner_of(file.path);
    if (from == nullptr) continue;
    const bool in_header = is_header(file.path) && !is_program(*from);
    const std::set<std::string> links =
        with_lists(in_header ? from->public_links : from->links, build, lists);
    for (const SourceFile::Include& include : file.includes) {
      const Target* to = include.quoted ? owners.owner_of(include.target) : nullptr;
      if (to == nullptr || to == from) continue;
      edges.emplace(from->name, to->name);
      const bool generated = paths.count(include.target) == 0;  // needs no link
      if (links.count(to->name) != 0 || (is_program(*to) && generated)) continue;
      if (!missing.emplace(from->name, to->name + (in_header ? " PUBLIC" : "")).second) continue;
      report.complaints.push_back(file.path + ":" + std::to_string(include.line) + ": includes " +
                                  include.target + ": " + from->name + " needs a " +
                                  (in_header ? "PUBLIC" : "PUBLIC or PRIVATE") + " link to " +
                                  to->name);
    }
  }
  report.edges = static_cast<int>(edges.size());
  return report;
}

}  // namespace kerb::test
