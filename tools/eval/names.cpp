// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/names.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "tools/files/text.hpp"

namespace kerb::eval {
namespace {

namespace fs = std::filesystem;

struct Name {
  std::vector<std::string> folders;  // the innermost first
  std::string stem, extension;
};

bool is_picture_extension(std::string_view text) {
  constexpr std::string_view kKnown[] = {".png",  ".jpg", ".jpeg", ".bmp", ".tif",
                                         ".tiff", ".pgm", ".ppm",  ".pnm", ".webp"};
  return std::find(std::begin(kKnown), std::end(kKnown), text) != std::end(kKnown);
}

Name parse_name(std::string text) {
  std::replace(text.begin(), text.end(), '\\', '/');  // of those who work on Windows
  const fs::path path = fs::path{text}.lexically_normal();
  Name name;
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (is_picture_extension(extension)) {
    name.stem = path.stem().string();
    name.extension = extension;
  } else {
    name.stem = path.filename().string();
  }
  const fs::path folder = path.parent_path();
  for (const fs::path& part : folder) name.folders.push_back(part.string());
  std::reverse(name.folders.begin(), name.folders.end());
  return name;
}

/// How well two names of the same stem agree: shared folders count twice, the extension once.
int likeness(const Name& a, const Name& b) {
  const std::size_t most = std::min(a.folders.size(), b.folders.size());
  std::size_t same = 0;
  while (same < most && a.folders[same] == b.folders[same]) ++same;
  return 2 * static_cast<int>(same) + (a.extension == b.extension ? 1 : 0);
}

}  // namespace

Result<std::vector<int>> find_pictures(const char* where, const std::vector<std::string>& names,
                                       const std::vector<std::string>& pictures) {
  std::vector<Name> paths;
  std::unordered_map<std::string, std::vector<int>> by_stem;
  for (const std::string& picture : pictures) {
    paths.push_back(parse_name(picture));
    by_stem[paths.back().stem].push_back(static_cast<int>(paths.size()) - 1);
  }
  struct Claim {
    int name = -1, likeness = -1;
    bool doubt = false;  // another name has the same claim
  };
  std::vector<Claim> claims(pictures.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Name name = parse_name(names[i]);
    const auto found = by_stem.find(name.stem);
    if (found == by_stem.end()) continue;
    int best = -1, best_likeness = -1;
    bool doubt = false;
    for (const int picture : found->second) {
      const int alike = likeness(name, paths[static_cast<std::size_t>(picture)]);
      doubt = alike == best_likeness || (doubt && alike < best_likeness);
      if (alike <= best_likeness) continue;
      best = picture;
      best_likeness = alike;
    }
    if (doubt)
      return files::line_error(where, names[i], 0, "several pictures have this name",
                               Errc::invalid_argument);
    Claim& claim = claims[static_cast<std::size_t>(best)];
    if (best_likeness == claim.likeness) claim.doubt = true;
    if (best_likeness > claim.likeness) claim = {static_cast<int>(i), best_likeness, false};
  }
  std::vector<int> result(names.size(), -1);
  for (std::size_t picture = 0; picture < claims.size(); ++picture) {
    const Claim& claim = claims[picture];
    if (claim.doubt)
      return files::line_error(where, pictures[picture], 0, "named more than once",
                               Errc::invalid_argument);
    if (claim.name >= 0) result[static_cast<std::size_t>(claim.name)] = static_cast<int>(picture);
  }
  return result;
}

}  // namespace kerb::eval
