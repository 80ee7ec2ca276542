// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string_view>

#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tools/eval/detections.hpp"
#include "tools/eval/picture_sets.hpp"
#include "tools/eval/truth.hpp"

namespace kerb::fuzz {
namespace {

void check(const eval::Box& box) {
  demand(std::isfinite(box.x) && std::isfinite(box.y) && box.w > 0 && box.h > 0 &&
             std::isfinite(box.w) && std::isfinite(box.h),
         "boxes have an area");
}

void check(const eval::TruthPicture& picture) {
  demand(!picture.name.empty(), "pictures have names");
  for (const eval::TruthBox& box : picture.boxes) {
    check(box.box);
    demand(box.visible >= 0 && box.visible <= 1, "visible parts are 0..1");
  }
}

}  // namespace

void truth(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto csv = eval::parse_csv_truth(text, "f"))
    for (const eval::TruthPicture& picture : *csv) check(picture);
  if (const auto mot = eval::parse_mot_truth(text, "f", "img1"))
    for (const eval::TruthPicture& picture : *mot) check(picture);
  if (const auto pascal = eval::parse_pascal_truth(text, "f")) check(*pascal);
}

void picture_sets(const std::uint8_t* data, std::size_t size) {
  const eval::PictureSets read =
      eval::parse_picture_sets({reinterpret_cast<const char*>(data), size}, "f", "data");
  demand(read.problems.empty() != read.sets.empty(), "sets, or what is wrong with them");
  for (const eval::PictureSet& set : read.sets) {
    demand(!set.name.empty() && !set.images.empty() && !set.truth.empty(), "sets are complete");
    demand(set.match.max_height > set.match.min_height && set.block >= 1, "sets make sense");
    (void)eval::is_taken(set, {}, "a.jpg");
  }
}

void detections(const std::uint8_t* data, std::size_t size) {
  const auto lines = eval::parse_detections({reinterpret_cast<const char*>(data), size}, "f");
  if (!lines) return;
  for (const eval::PictureDetections& line : *lines) {
    demand(!line.image.empty(), "lines name a picture");
    for (const eval::ScoredBox& box : line.boxes) {
      check(box.box);
      demand(std::isfinite(box.score), "scores are numbers");
    }
  }
}

std::vector<Bytes> truth_seeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view text :
       {"image,x,y,w,h\na/1.jpg,1,2,3,4\nb.png,1.5,-2,+3,4e1,1\nnobody.jpg\n",
        "1,1,466.5,139,91,193.68,1,-1,-1,-1\n2,6,485,145,16.667,55.039,0,-1,-1,-1\n",
        "1,1,688.0,242.5,18.5,14.0,1,1,0.5\n1,2,688.0,242.5,18.5,14.0,0,11,1\n",
        "file,x,y,w,h,class,fill\na.jpg,1,2,3,4,person,0.5\na.jpg,5,2,3,4,bin,\nb.jpg,1,1,9,9,"
        "group,1\n",
        "# PASCAL Annotation Version 1.00\nImage filename : \"pos/1.png\"\nBounding box for object "
        "1 "
        "\"PASperson\" (Xmin, Ymin) - (Xmax, Ymax) : (333, 116) - (478, 546)\n"})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}

std::vector<Bytes> picture_set_seeds() {
  constexpr std::string_view kText =
      "[[set]]\nname = \"a\"\nimages = [\"i\", \"@l\"]\ntruth = [\"t\"]\ncolumn = \"c\"\n"
      "column_least = 5\nleast_height = 50\ngreatest_height = 60\nnames = \"*[D].jpg\"\n"
      "[[set]]\nname = \"b\"\nimages = [\"i\"]\ntruth = [\"t\"]\nignore = []\nlist = \"x\"\n";
  return {Bytes(kText.begin(), kText.end())};
}

std::vector<Bytes> detection_seeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view text :
       {R"({"image":"a.jpg","width":9,"height":9,"ms":1.5,"detections":[)"
        R"({"x":1,"y":2.5,"w":3,"h":4,"score":-0.5},{"x":1e2,"y":0,"w":1,"h":1,"score":2}]})"
        "\n",
        R"({"image":"b.jpg","detections":[]})"
        "\n\n"
        R"({"image":"\u00e9","more":[[[{}]]],"detections":[]})"})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}

}  // namespace kerb::fuzz
