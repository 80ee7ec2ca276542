// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/eval/boxes.hpp"

namespace kerb::eval {

/// A person to be found, or an ignore region, in which neither hits nor misses count.
struct TruthBox {
  Box box;
  bool ignore = false;
  double visible = 1;  ///< visible share of the person, if the file has it; 0..1
};

/// Something else that is labelled, which no detector of people should find: a bin, a pole.
struct TruthThing {
  Box box;
  std::string kind;  ///< its class
};

/// The truth about one picture.
struct TruthPicture {
  std::string name;  ///< a path, or its end; its extension does not count
  std::vector<TruthBox> boxes;
  std::vector<TruthThing> things;
};

/// Who is to be found, in a truth that has classes and other columns.
struct TruthRules {
  std::vector<std::string> people{"person", "pedestrian"};
  /// Classes of what is like a person, or several in one box; all others are things.
  std::vector<std::string> ignored{"bike_upright", "cyclist", "group",       "in_vehicle",
                                   "people",       "person?", "person_part", "person_unsure"};
  /// People with less than this in the column, or nothing, are ignored.
  struct Least {
    std::string column;
    double value = 0;
  };
  std::vector<Least> least;
};

/// `image,x,y,w,h[,ignore]` a line, comma-separated; ignore is 0 or 1. A first line whose second
/// part is `x` is a header: its columns after the fifth may be in any order, and `class` says who
/// is a person by `rules`; other columns are for rules.least alone. Empty lines and lines that
/// begin with # are passed over. A line with an image alone, or empty numbers, is a picture without
/// people. `file` is for messages. Fails, naming the line: damaged; invalid_argument (a column of
/// `rules` is not in the header).
Result<std::vector<TruthPicture>> parse_csv_truth(std::string_view text, std::string_view file,
                                                  const TruthRules& rules = {});

/// One annotation of PASCAL's version 1.00, as INRIA's are: the picture's name and a
/// `Bounding box for object N "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : (a, b) - (c, d)` each.
/// Objects that are no person (by a name without "person") are passed over. Without a line "Image
/// filename" the picture is called as the file is. Fails, naming the line: damaged (also when there
/// is nothing of PASCAL in it).
Result<TruthPicture> parse_pascal_truth(std::string_view text, std::string_view file);

/// MOT text: `frame,id,x,y,w,h,conf,...` a line. conf 0: ignore. Lines of 9 numbers are MOT16's,
/// where the next two are class and visibility: class 1 is a pedestrian; people on vehicles,
/// static people, distractors and reflections (2, 7, 8, 12) are ignored, all other classes left
/// out. Picture names are `FOLDER/000001`, six digits. Only frames with lines have a picture.
/// Fails, naming the line: damaged.
Result<std::vector<TruthPicture>> parse_mot_truth(std::string_view text, std::string_view file,
                                                  std::string_view folder);

/// Truth from a file or a folder, whose format is recognised by content:
///   - a file whose first line that says something has MOT's numbers; pictures are looked for by
///     the names they have beside it: for SEQ/gt/gt.txt, SEQ/img1/000001
///   - a file of PASCAL text
///   - any other file: CSV
///   - a folder with gt/gt.txt (or gt.txt) in it: that
///   - any other folder: each *.txt in it is PASCAL text
/// `rules` are for CSV. Fails, naming file and line: not_found (also for a folder without truth),
/// io, damaged, invalid_argument (neither file nor folder; as parse_csv_truth()).
Result<std::vector<TruthPicture>> read_truth(const std::string& path, const TruthRules& rules = {});

}  // namespace kerb::eval
