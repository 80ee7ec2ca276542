// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/picture_sets.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "firmware/schema/parse.hpp"
#include "firmware/schema/reader.hpp"
#include "firmware/schema/schema.hpp"

namespace kerb::eval {
namespace {

namespace fs = std::filesystem;
using schema::Field;
using schema::Node;
using schema::Reader;

constexpr std::size_t kMostTexts = 64, kLongestText = 4096;

using Texts = std::vector<std::string>;

/// A set as the file has it.
struct SetDraft {
  PictureSet set;
  std::string column;
  double column_least = 0;
  double greatest_height = 0;
};
struct FileDraft {
  std::vector<SetDraft> sets;
};

std::string allowed_texts(const Field&) {
  return "an array of at most " + std::to_string(kMostTexts) + " texts, none of them empty";
}
void read_texts(Reader& reader, const Field& field, const Node& node, void* to,
                const std::string& key) {
  const auto is_good = [](const Node& item) {
    return item.kind == Node::Kind::text && !item.text.empty() && item.text.size() <= kLongestText;
  };
  if (node.kind != Node::Kind::list || node.items.size() > kMostTexts ||
      !std::all_of(node.items.begin(), node.items.end(), is_good))
    return reader.refuse(key, node, "must be " + allowed_texts(field));
  Texts& out = *static_cast<Texts*>(to);
  out.clear();
  for (const Node& item : node.items) out.push_back(item.text);
}
constexpr schema::Custom kTexts{"array", allowed_texts, read_texts, &schema::kTypeOf<Texts>};

template <auto... Members>
constexpr Field texts(const char* name, const char* doc, const char* fallback) {
  return schema::custom<&SetDraft::set, Members...>(name, 0, 0, "", doc, kTexts)
      .by_default(fallback);
}

constexpr Field kCamera[] = {
    schema::number<&RoadCamera::focal_px>("focal_px", RoadCamera::kLeastFocal_px,
                                          RoadCamera::kGreatestFocal_px, "pixels", "Focal length.")
        .by_default("none"),
    schema::number<&RoadCamera::height_m>("height_m", RoadCamera::kLeastHeight_m,
                                          RoadCamera::kGreatestHeight_m, "m",
                                          "Height above the road.")
        .by_default("none"),
    schema::number<&RoadCamera::horizon_row>("horizon_row", -RoadCamera::kFarthestHorizon,
                                             RoadCamera::kFarthestHorizon, "pixels",
                                             "Row of the horizon, from the picture's upper edge.")
        .by_default("none"),
};
constexpr schema::Table kCameraTable = schema::table_of<RoadCamera>(
    "set.camera", "The camera over a flat road, for errors of distance. All keys must be given.",
    kCamera);

constexpr Field kSet[] = {
    schema::text<&SetDraft::set, &PictureSet::name>("name", 1, 64, schema::TextRule::name,
                                                    "Name, in tables and file names."),
    texts<&PictureSet::images>("images", "Folders of pictures, pictures, or @FILE.", "none"),
    schema::text<&SetDraft::set, &PictureSet::names>(
        "names", 1, 256, schema::TextRule::printable,
        "Only pictures whose file name matches this pattern (*, ?, [...])."),
    schema::text<&SetDraft::set, &PictureSet::list>(
        "list", 0, 4096, schema::TextRule::printable,
        "Only pictures whose file name is a line of this file, which is searched for beside this "
        "one."),
    texts<&PictureSet::truth>("truth", "Files or folders with the truth.", "none"),
    texts<&PictureSet::negatives>("negatives", "More pictures, without people.", "none"),
    texts<&PictureSet::rules, &TruthRules::people>("people", "Classes of people to be found.",
                                                   "person, pedestrian"),
    texts<&PictureSet::rules, &TruthRules::ignored>(
        "ignore", "Classes in which nothing counts. All others are things.", "those like a person"),
    schema::text<&SetDraft::column>("column", 0, 64, schema::TextRule::printable,
                                    "A column of the truth, for column_least."),
    schema::number<&SetDraft::column_least>(
        "column_least", -1e9, 1e9, "",
        "People with less than this in the column need not be found."),
    schema::number<&SetDraft::set, &PictureSet::match, &MatchSettings::min_height>(
        "least_height", 0, 65535, "pixels", "Shorter people need not be found."),
    schema::number<&SetDraft::greatest_height>(
        "greatest_height", 0, 65535, "pixels",
        "People of this height and taller need not be found; 0: no limit."),
    schema::number<&SetDraft::set, &PictureSet::match, &MatchSettings::min_visible>(
        "least_visible", 0, 1, "", "People of whom a smaller share is visible need not be found."),
    schema::integer<&SetDraft::set, &PictureSet::search_min_height>(
        "search_min_height", 0, 65535, "pixels",
        "Height of the smallest person searched for; 0: the command's."),
    schema::integer<&SetDraft::set, &PictureSet::block>(
        "resample_block", 1, 100000, "pictures",
        "Pictures that follow one another and are drawn together for the intervals."),
    texts<&PictureSet::models>("models", "Only these detectors are judged on it.", "all"),
    schema::table<&SetDraft::set, &PictureSet::camera>(
        "camera", "Camera of all its pictures, for errors of distance.", kCameraTable),
};
constexpr schema::Table kSetTable =
    schema::table_of<SetDraft>("set", "Pictures judged together.", kSet);
constexpr Field kFile[] = {
    schema::tables<&FileDraft::sets>("set", 1, 64, "Pictures judged together.", kSetTable)};
constexpr schema::Table kFileTable = schema::table_of<FileDraft>("", "Sets of pictures.", kFile);

std::string below(const std::string& folder, const std::string& path) {
  return (fs::path{folder} / path).string();  // an absolute path stays as it is
}
void put_below(const std::string& folder, Texts& paths) {
  for (std::string& path : paths)
    path = path.front() == '@' ? "@" + below(folder, path.substr(1)) : below(folder, path);
}

class SetsFile {
 public:
  SetsFile(const std::string& folder, const std::string& data) : folder_{folder}, data_{data} {}

  PictureSets read(const Node& tree) {
    FileDraft draft;
    reader_.read(kFileTable, tree, draft);
    if (reader_.ok() && draft.sets.empty()) reader_.report("set", "", "must be given");
    for (std::size_t i = 0; i < draft.sets.size() && reader_.ok(); ++i) finish(draft.sets[i], i);
    if (!reader_.ok()) return {{}, reader_.problems()};
    return std::move(out_);
  }

 private:
  void finish(SetDraft& draft, std::size_t index) {
    const std::string key = "set[" + std::to_string(index) + "].";
    PictureSet& set = draft.set;
    const auto need = [&](bool holds, const char* name, const char* rule) {
      if (!holds) reader_.report(key + name, "", rule);
    };
    need(!set.name.empty(), "name", "must be given");
    need(!set.images.empty(), "images", "must be given");
    need(!set.truth.empty(), "truth", "must be given");
    need(std::none_of(out_.sets.begin(), out_.sets.end(),
                      [&](const PictureSet& other) { return other.name == set.name; }),
         "name", "must differ from those of other sets");
    need(draft.column.empty() != reader_.has(key + "column_least"), "column",
         "goes together with column_least");
    if (draft.greatest_height > 0) set.match.max_height = draft.greatest_height;
    need(set.match.max_height > set.match.min_height, "greatest_height",
         "must be greater than least_height");
    if (set.camera)
      for (const Field& field : kCamera)
        need(reader_.has(key + "camera." + field.name), "camera",
             "must have focal_px, height_m and horizon_row");
    if (!reader_.ok()) return;
    if (!draft.column.empty()) set.rules.least = {{draft.column, draft.column_least}};
    put_below(data_, set.images);
    put_below(data_, set.truth);
    put_below(data_, set.negatives);
    if (!set.list.empty()) set.list = below(folder_, set.list);
    out_.sets.push_back(std::move(set));
  }

  std::string folder_, data_;
  Reader reader_;
  PictureSets out_;
};

PictureSets read_sets(std::variant<Node, schema::Problem> tree, const std::string& folder,
                      const std::string& data) {
  if (auto* const problem = std::get_if<schema::Problem>(&tree)) return {{}, {std::move(*problem)}};
  return SetsFile{folder, data}.read(std::get<Node>(tree));
}

}  // namespace

PictureSets read_picture_sets(const std::string& path, const std::string& data) {
  return read_sets(schema::read_tree(path), fs::path{path}.parent_path().string(), data);
}

PictureSets parse_picture_sets(std::string_view text, const std::string& name,
                               const std::string& data) {
  return read_sets(schema::parse_tree(text, name), fs::path{name}.parent_path().string(), data);
}

const schema::Table& picture_sets_table() { return kFileTable; }

bool is_taken(const PictureSet& set, const std::vector<std::string>& listed,
              const std::string& path) {
  const std::string name = fs::path{path}.filename().string();
  return ::fnmatch(set.names.c_str(), name.c_str(), 0) == 0 &&
         (set.list.empty() || std::binary_search(listed.begin(), listed.end(), name));
}

}  // namespace kerb::eval
