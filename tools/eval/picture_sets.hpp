// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/schema/problem.hpp"
#include "tools/eval/matching.hpp"
#include "tools/eval/placement.hpp"
#include "tools/eval/truth.hpp"

namespace kerb::schema {
struct Table;
}

namespace kerb::eval {

/// Pictures that detectors are judged on together: which they are, and what is true of them.
struct PictureSet {
  std::string name;                 ///< empty for the one of a command line
  std::vector<std::string> images;  ///< folders, pictures, @FILE
  std::string names = "*";          ///< file names of these to take, as a shell's pattern
  std::string list;                 ///< a file of file names to take; empty: all
  std::vector<std::string> truth, negatives;
  TruthRules rules;
  MatchSettings match;
  int search_min_height = 0;         ///< pixels; 0: as the command says
  int block = 1;                     ///< see Resampling
  std::vector<std::string> models;   ///< names of the detectors it is for; none: all
  std::optional<RoadCamera> camera;  ///< of all its pictures, for distances
};

/// A file of sets, or what is wrong with it.
struct PictureSets {
  std::vector<PictureSet> sets;
  std::vector<schema::Problem> problems;  ///< in the file's order
};

/// A TOML file with a table [[set]] for each. Relative paths of pictures and truth are taken from
/// `data`, that of a list from the file's own folder. Nothing is looked at but the file.
[[nodiscard]] PictureSets read_picture_sets(const std::string& path, const std::string& data);
/// The same of a text; `name` replaces the file's name.
[[nodiscard]] PictureSets parse_picture_sets(std::string_view text, const std::string& name,
                                             const std::string& data);

/// The table of such a file as a whole, for its reference.
[[nodiscard]] const schema::Table& picture_sets_table();

/// Whether a file's name is one that the set takes; `listed`: the names of its list, sorted.
[[nodiscard]] bool is_taken(const PictureSet& set, const std::vector<std::string>& listed,
                            const std::string& path);

}  // namespace kerb::eval
