// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/pictures/picture_truth.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"
#include "tools/eval/names.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {

Result<std::vector<std::string>> expand_pictures(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    std::error_code ignored;
    const Result<std::vector<std::string>> more = std::filesystem::is_directory(word, ignored)
                                                      ? replay::list_pictures(word)
                                                      : expand_list({word});
    if (!more) return more.error();
    paths.insert(paths.end(), more->begin(), more->end());
  }
  return paths;
}

Result<PictureTruth> truth_of(const std::vector<std::string>& pictures,
                              const std::vector<std::string>& files,
                              const eval::TruthRules& rules) {
  std::vector<eval::TruthPicture> truth;
  std::vector<std::string> names;
  for (const std::string& file : files) {
    Result<std::vector<eval::TruthPicture>> more = eval::read_truth(file, rules);
    if (!more) return more.error();
    for (eval::TruthPicture& picture : *more) {
      names.push_back(picture.name);
      truth.push_back(std::move(picture));
    }
  }
  const Result<std::vector<int>> places = eval::find_pictures("match truth", names, pictures);
  if (!places) return places.error();
  PictureTruth out;
  out.boxes.resize(pictures.size());
  out.things.resize(pictures.size());
  std::size_t absent = 0;
  std::string first_absent;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if ((*places)[i] >= 0) {
      const auto place = static_cast<std::size_t>((*places)[i]);
      out.boxes[place] = std::move(truth[i].boxes);
      out.things[place] = std::move(truth[i].things);
    } else if (absent++ == 0) {
      first_absent = names[i];
    }
  }
  if (absent == truth.size())
    return replay::failure(Errc::invalid_argument,
                           "match truth: contains none of the given pictures", files.front());
  if (absent > 0)
    out.left_out = fmt::format("truth of pictures that were not given is ignored: {}, the first {}",
                               absent, first_absent);
  return out;
}

}  // namespace kerb::lab
