// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/includes/include_rules.hpp"

namespace kerb::test {

/// What CMake knows of the project's targets: see cmake/KerbTargets.cmake.
struct BuildTargets {
  struct Target {
    std::string name, type, folder;
    std::set<std::string> sources;
    std::set<std::string> public_links;  ///< PUBLIC and INTERFACE
    std::set<std::string> links;         ///< PUBLIC and PRIVATE
  };
  std::vector<Target> targets;  ///< in the order of the file
};

/// Reads the lines that kerb_write_targets() wrote. Lines it does not know are left out.
BuildTargets read_targets(std::string_view text);

/// The include edges between targets, and those that no link line stands for.
struct LinkReport {
  int edges = 0;                        ///< pairs of targets with at least one include
  std::vector<std::string> complaints;  ///< one line for each pair, with its first include
};

/// Every include of another target's header needs a link line of the includer's own target:
///   in a header   PUBLIC or INTERFACE (of a program: any)
///   in a source   PUBLIC or PRIVATE
/// Links of an INTERFACE library that has no sources and no headers stand for its own: it is a
/// list. A file belongs to the target that compiles it; a header to the one that compiles the
/// source of its name, else to the first library of its folder or of the nearest folder above that
/// has a target.
LinkReport check_links(const std::vector<SourceFile>& files, const BuildTargets& build);

}  // namespace kerb::test
