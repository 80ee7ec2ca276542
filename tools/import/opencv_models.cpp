// SPDX-License-Identifier: Apache-2.0
#include "tools/import/opencv_models.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <opencv2/objdetect.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gpu/hog/model_file.hpp"

namespace kerb::lab {
namespace {

using hog::CascadeModel;
using hog::DenseModel;
using hog::Geometry;
using hog::Model;

constexpr int kBlockValues = DenseModel::kBlockValues;

Error failure(Errc code, const std::string& text) {
  return {code, 0, "OpenCV model", std::string_view{text}};
}
Error damaged(const std::string& text) { return failure(Errc::damaged, text); }
Error unsupported(const std::string& text) { return failure(Errc::unsupported, text); }

Result<Model> checked(Model model) {
  if (Status ok = validate(model); !ok) return ok.error();
  return model;
}

// --- dense --------------------------------------------------------------------------------------

Geometry dense_geometry(int width, int height) {
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  return {width, height, w / 4, h / 8, w / 2, h * 3 / 4};
}

std::size_t values_of(const DenseModel& model) {
  return static_cast<std::size_t>(model.blocks_x()) * static_cast<std::size_t>(model.blocks_y()) *
         kBlockValues;
}

/// `theirs`: blocks by columns, and cells in them by columns; the bias last, if it is there.
Result<Model> dense_from(const std::vector<float>& theirs, DenseModel model) {
  const Geometry& g = model.geometry;
  if (g.window_width < 16 || g.window_height < 16 || g.window_width > hog::kMaxWindowSide ||
      g.window_height > hog::kMaxWindowSide || g.window_width % 8 != 0 || g.window_height % 8 != 0)
    return unsupported("winSize: multiples of 8, from 16 to 1024");
  const int columns = model.blocks_x(), rows = model.blocks_y();
  const std::size_t values = values_of(model);
  if (theirs.size() != values && theirs.size() != values + 1)
    return damaged(std::to_string(theirs.size()) + " coefficients; a window of " +
                   std::to_string(g.window_width) + " x " + std::to_string(g.window_height) +
                   " has " + std::to_string(values) + ", or one more with a bias");
  model.bias = theirs.size() > values ? theirs.back() : 0;
  model.weights.clear();
  model.weights.reserve(values);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (const int cell : {0, 2, 1, 3}) {  // ours by rows: (0,0), (1,0), (0,1), (1,1)
        const auto first =
            theirs.begin() + (x * rows + y) * kBlockValues + cell * DenseModel::kBins;
        model.weights.insert(model.weights.end(), first, first + DenseModel::kBins);
      }
  return checked({"opencv", std::move(model)});
}

/// For numbers that come without their descriptor's settings: OpenCV's defaults, and the window
/// that has so many.
Result<Model> dense_of_any_window(const std::vector<float>& theirs) {
  DenseModel model;
  for (const auto& [width, height] : {std::pair{64, 128}, {48, 96}}) {
    model.geometry = dense_geometry(width, height);
    const std::size_t values = values_of(model);
    if (theirs.size() == values || theirs.size() == values + 1)
      return dense_from(theirs, std::move(model));
  }
  return damaged(std::to_string(theirs.size()) +
                 " numbers; 3780 or 3781 (or 1980 or 1981) were expected");
}

bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ';';
}

Result<Model> from_list(std::string_view text) {
  std::vector<float> numbers;
  int line = 1;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    for (; at != end && is_separator(*at); ++at) line += *at == '\n' ? 1 : 0;
    if (at == end) break;
    const char* const start = at;
    if (*at == '+') ++at;  // from_chars() knows no plus
    float value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || (next != end && !is_separator(*next))) {
      const char* const stop = std::find_if(start, end, is_separator);
      std::string word(start, std::min(stop, start + std::min<std::ptrdiff_t>(end - start, 20)));
      for (char& c : word)
        if (c < ' ' || c > '~') c = '?';
      return damaged("line " + std::to_string(line) + ": '" + word +
                     "' is not a number; neither is this XML, YAML or JSON");
    }
    numbers.push_back(value);
    at = next;
  }
  return dense_of_any_window(numbers);
}

// --- what OpenCV's reader gives
// -------------------------------------------------------------------

/// `name` of the map `node`, a number.
Result<double> number_in(const cv::FileNode& node, const char* name) {
  const cv::FileNode value = node[name];
  if (!value.isInt() && !value.isReal())
    return damaged(std::string(name) + ": a number is missing");
  return value.real();
}
bool is_whole(double n) { return n == std::floor(n); }
Result<int> whole_in(const cv::FileNode& node, const char* name) {
  Result<double> value = number_in(node, name);
  if (!value) return value.error();
  if (!(std::abs(*value) <= 1e9) || !is_whole(*value))
    return damaged(std::string(name) + ": a whole number was expected");
  return static_cast<int>(*value);
}
/// The numbers of a sequence.
Result<std::vector<double>> numbers_in(const cv::FileNode& node, const char* name) {
  const cv::FileNode list = node[name];
  if (list.isInt() || list.isReal()) return std::vector<double>{list.real()};  // XML's list of one
  if (!list.isSeq()) return damaged(std::string(name) + ": a list of numbers is missing");
  std::vector<double> numbers;
  numbers.reserve(list.size());
  for (const cv::FileNode& value : list) {
    if (!value.isInt() && !value.isReal())
      return damaged(std::string(name) + ": something that is not a number");
    numbers.push_back(value.real());
  }
  return numbers;
}
std::vector<float> as_floats(const std::vector<double>& numbers) {
  std::vector<float> floats;
  floats.reserve(numbers.size());
  for (const double n : numbers) floats.push_back(static_cast<float>(n));
  return floats;
}

// --- HOGDescriptor::save()
// ------------------------------------------------------------------------

Status expect_pair(const cv::FileNode& hog, const char* name, int value) {
  Result<std::vector<double>> numbers = numbers_in(hog, name);
  if (!numbers) return numbers.error();
  if (numbers->size() != 2 || (*numbers)[0] != value || (*numbers)[1] != value)
    return unsupported(std::string(name) + " must be " + std::to_string(value) + " x " +
                       std::to_string(value));
  return Done{};
}
Status expect(const cv::FileNode& hog, const char* name, int value) {
  Result<int> number = whole_in(hog, name);
  if (!number) return number.error();
  if (*number != value) return unsupported(std::string(name) + " must be " + std::to_string(value));
  return Done{};
}

Result<Model> from_descriptor(const cv::FileNode& hog) {
  for (const auto& [name, value] :
       {std::pair{"blockSize", 16}, {"blockStride", 8}, {"cellSize", 8}})
    if (Status ok = expect_pair(hog, name, value); !ok) return ok.error();
  if (Status ok = expect(hog, "nbins", 9); !ok) return ok.error();
  if (Status ok = expect(hog, "histogramNormType", 0); !ok) return ok.error();
  if (!hog["signedGradient"].empty())  // OpenCV 2 did not know it
    if (Status ok = expect(hog, "signedGradient", 0); !ok) return ok.error();
  Result<std::vector<double>> window = numbers_in(hog, "winSize");
  if (!window) return window.error();
  const auto is_side = [](double n) { return n >= 16 && n <= hog::kMaxWindowSide && is_whole(n); };
  if (window->size() != 2 || !is_side((*window)[0]) || !is_side((*window)[1]))
    return unsupported("winSize: multiples of 8, from 16 to 1024");
  Result<double> sigma = number_in(hog, "winSigma"), clip = number_in(hog, "L2HysThreshold");
  if (!sigma) return sigma.error();
  if (!clip) return clip.error();
  Result<int> gamma = whole_in(hog, "gammaCorrection");
  if (!gamma) return gamma.error();
  Result<std::vector<double>> theirs = numbers_in(hog, "SVMDetector");
  if (!theirs) return theirs.error();

  DenseModel model;
  model.geometry = dense_geometry(static_cast<int>((*window)[0]), static_cast<int>((*window)[1]));
  model.sigma = *sigma >= 0 ? static_cast<float>(*sigma) : 4;  // less: an eighth of both sides
  model.clip = static_cast<float>(*clip);
  model.gamma = *gamma != 0;
  return dense_from(as_floats(*theirs), std::move(model));
}

// --- cv::ml::SVM
// ----------------------------------------------------------------------------------

Result<Model> from_svm(const cv::FileNode& svm) {
  const std::string kind = svm["svmType"].isString() ? svm["svmType"].string() : "";
  const bool is_classes = kind == "C_SVC" || kind == "NU_SVC";
  if (!is_classes && kind != "EPS_SVR" && kind != "NU_SVR")
    return unsupported("an SVM of type C_SVC, NU_SVC, EPS_SVR or NU_SVR is needed");
  const cv::FileNode kernel = svm["kernel"]["type"];
  if (!kernel.isString() || kernel.string() != "LINEAR")
    return unsupported("the SVM's kernel must be linear");
  const cv::FileNode functions = svm["decision_functions"], vectors = svm["support_vectors"];
  if (!functions.isSeq() || functions.size() != 1)
    return unsupported("an SVM with one decision function (two classes) is needed");
  if (!vectors.isSeq()) return damaged("support_vectors: missing");

  const cv::FileNode function = *functions.begin();
  Result<double> rho = number_in(function, "rho");
  if (!rho) return rho.error();
  Result<std::vector<double>> alpha = numbers_in(function, "alpha");
  if (!alpha) return alpha.error();
  std::vector<double> index;
  if (!function["index"].empty()) {
    Result<std::vector<double>> read = numbers_in(function, "index");
    if (!read) return read.error();
    index = *std::move(read);
  } else {
    for (std::size_t i = 0; i < alpha->size(); ++i) index.push_back(static_cast<double>(i));
  }
  if (index.size() != alpha->size()) return damaged("index: not as many as alpha");

  // Of a linear kernel all support vectors together are one: the sum of alpha * vector.
  std::vector<double> sum;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!(index[i] >= 0 && index[i] < static_cast<double>(vectors.size()) && is_whole(index[i])))
      return damaged("index: no such support vector");
    std::vector<double> row;
    for (const cv::FileNode& value : vectors[static_cast<int>(index[i])]) {
      if (!value.isInt() && !value.isReal()) return damaged("support_vectors: not a number");
      row.push_back(value.real());
    }
    if (sum.empty()) sum.resize(row.size());
    if (row.size() != sum.size()) return damaged("support_vectors: of different lengths");
    for (std::size_t k = 0; k < row.size(); ++k) sum[k] += (*alpha)[i] * row[k];
  }
  // A sum over 0 means the first class, which is the one with the lower label.
  const double sign = is_classes ? -1 : 1;
  for (double& value : sum) value *= sign;
  sum.push_back(-*rho * sign);
  return dense_of_any_window(as_floats(sum));
}

// --- opencv_traincascade, -featureType HOG
// --------------------------------------------------------

/// OpenCV takes this off a stage's threshold as it loads it.
constexpr double kThresholdEps = 1e-5;
constexpr int kCells = 4, kBins = 9;

struct Feature {
  int x = 0, y = 0, width = 0, height = 0;  ///< the first of 2 x 2 cells
  int component = 0;                        ///< cell * 9 + bin
};

Result<std::vector<Feature>> features_in(const cv::FileNode& list) {
  if (!list.isSeq()) return damaged("features: missing");
  std::vector<Feature> features;
  for (const cv::FileNode& node : list) {
    Result<std::vector<double>> numbers = numbers_in(node, "rect");
    if (!numbers) return numbers.error();
    const bool sound =
        numbers->size() == 5 && std::all_of(numbers->begin(), numbers->end(), [](double n) {
          return n >= 0 && n <= hog::kMaxWindowSide && is_whole(n);
        });
    if (!sound || (*numbers)[4] >= kCells * kBins)
      return damaged("features: rect must be x, y, width, height and a component 0..35");
    const auto at = [&numbers](std::size_t i) { return static_cast<int>((*numbers)[i]); };
    features.push_back({at(0), at(1), at(2), at(3), at(4)});
  }
  return features;
}

hog::TreeNode question_of(const Feature& f) {
  const auto small = [](int n) { return static_cast<std::int16_t>(n); };
  const int cell = f.component / kBins;
  hog::TreeNode node;
  node.x = small(f.x + (cell & 1) * f.width);
  node.y = small(f.y + (cell >> 1) * f.height);
  node.width = small(f.width);
  node.height = small(f.height);
  node.channel = small(f.component % kBins);
  node.divisor = kBins;  // the magnitude of all
  node.divisor_x = small(f.x);
  node.divisor_y = small(f.y);
  node.divisor_width = small(2 * f.width);
  node.divisor_height = small(2 * f.height);
  return node;
}

Result<std::int32_t> in_votes(double value) {
  const double units = std::nearbyint(value * 65536);
  if (!(std::abs(units) <= std::numeric_limits<std::int32_t>::max()))
    return damaged("leafValues or stageThreshold: too large");
  return static_cast<std::int32_t>(units);
}

Status add_tree(const cv::FileNode& weak, const std::vector<Feature>& features, CascadeModel& m) {
  Result<std::vector<double>> nodes = numbers_in(weak, "internalNodes");
  if (!nodes) return nodes.error();
  Result<std::vector<double>> leaves = numbers_in(weak, "leafValues");
  if (!leaves) return leaves.error();
  const std::size_t count = nodes->size() / 4;
  if (nodes->size() % 4 != 0 || count < 1 || count > hog::kMaxTreeNodes)
    return damaged("internalNodes: four numbers for each of 1..255 nodes");
  if (leaves->empty() || leaves->size() > hog::kMaxTreeNodes + 1)
    return damaged("leafValues: 1..256 numbers");

  m.trees.push_back({static_cast<std::int32_t>(m.nodes.size()),
                     static_cast<std::int32_t>(m.leaves.size()), static_cast<std::int16_t>(count),
                     static_cast<std::int16_t>(leaves->size())});
  for (std::size_t i = 0; i < count; ++i) {
    const double* four = nodes->data() + 4 * i;
    if (!(four[2] >= 0 && four[2] < static_cast<double>(features.size()) && is_whole(four[2])))
      return damaged("internalNodes: no such feature");
    hog::TreeNode node = question_of(features[static_cast<std::size_t>(four[2])]);
    // Theirs: over 0 a node, else leaf -n. Ours: 0 or over a node, else leaf ~n.
    const auto branch = [](double n) {
      const int next = static_cast<int>(n);
      return static_cast<std::int16_t>(next > 0 ? next : ~-next);
    };
    if (!(std::abs(four[0]) <= 256 && is_whole(four[0]) && std::abs(four[1]) <= 256 &&
          is_whole(four[1])))
      return damaged("internalNodes: no such branch");
    node.left = branch(four[0]);
    node.right = branch(four[1]);
    node.threshold = static_cast<float>(four[3]);
    m.nodes.push_back(node);
  }
  for (const double leaf : *leaves) {
    Result<std::int32_t> votes = in_votes(leaf);
    if (!votes) return votes.error();
    m.leaves.push_back(*votes);
  }
  return Done{};
}

Result<Model> from_cascade(const cv::FileNode& cascade) {
  const auto word = [&cascade](const char* name) {
    return cascade[name].isString() ? cascade[name].string() : std::string{};
  };
  if (word("stageType") != "BOOST") return unsupported("stageType must be BOOST");
  if (word("featureType") != "HOG")
    return unsupported("featureType must be HOG (OpenCV itself runs the others)");
  Result<int> width = whole_in(cascade, "width"), height = whole_in(cascade, "height");
  if (!width) return width.error();
  if (!height) return height.error();
  if (*width < 1 || *height < 1 || *width > hog::kMaxWindowSide || *height > hog::kMaxWindowSide)
    return unsupported("width and height: 1..1024");
  const cv::FileNode size = cascade["featureParams"]["featSize"];
  if (!size.empty() && !(size.isInt() && static_cast<int>(size) == kCells * kBins))
    return unsupported("featSize must be 36");
  Result<std::vector<Feature>> features = features_in(cascade["features"]);
  if (!features) return features.error();

  CascadeModel m;
  const auto w = static_cast<float>(*width), h = static_cast<float>(*height);
  m.geometry = {*width, *height, w / 6, h / 12, w * 2 / 3, h * 5 / 6};
  m.channels = {kBins, /*half_shifted=*/true, /*magnitude=*/true, /*colour=*/false};
  const cv::FileNode stages = cascade["stages"];
  if (!stages.isSeq()) return damaged("stages: missing");
  for (const cv::FileNode& node : stages) {
    Result<double> threshold = number_in(node, "stageThreshold");
    if (!threshold) return threshold.error();
    const cv::FileNode weak = node["weakClassifiers"];
    if (!weak.isSeq()) return damaged("weakClassifiers: missing");
    hog::Stage stage;
    stage.first = static_cast<std::int32_t>(m.trees.size());
    for (const cv::FileNode& tree : weak) {
      if (m.trees.size() == hog::kMaxLearners) return unsupported("more than 65536 learners");
      if (Status ok = add_tree(tree, *features, m); !ok) return ok.error();
    }
    stage.count = static_cast<std::int32_t>(m.trees.size()) - stage.first;
    // Training sets thresholds to the very sum of some person: half a unit for each rounded leaf
    // must not reject them.
    const double lower = kThresholdEps + hog::kVoteUnit * 0.5 * (stage.count + 1);
    Result<std::int32_t> votes = in_votes(*threshold - lower);
    if (!votes) return votes.error();
    stage.threshold = *votes;
    m.stages.push_back(stage);
  }
  return checked({"opencv", std::move(m)});
}

// --- XML that OpenCV may be given
// -----------------------------------------------------------------

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// What stands between < and >, as FileStorage writes it: a name, then name="value" pairs.
bool is_tag(std::string_view tag) {
  const auto skip = [&tag](bool (*kind)(char)) {
    std::size_t n = 0;
    while (n < tag.size() && kind(tag[n])) ++n;
    tag.remove_prefix(n);
    return n > 0;
  };
  if (!skip(is_name)) return false;
  while (skip(is_space) && !tag.empty()) {
    if (!skip(is_name) || tag.substr(0, 2) != "=\"") return false;
    const std::size_t end = tag.find('"', 2);
    if (end == std::string_view::npos || tag.substr(2, end - 2).find('\n') != tag.npos)
      return false;
    tag.remove_prefix(end + 1);
  }
  return tag.empty();
}

/// Comments become spaces: they may be in any language, and nobody reads them.
Status blank_comments(std::string& text) {
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--", at)) {
    const std::size_t end = text.find("-->", at + 4);
    if (end == std::string::npos)
      return damaged("XML: a comment without end at byte " + std::to_string(at));
    for (; at < end + 3; ++at)
      if (text[at] != '\n') text[at] = ' ';
  }
  return Done{};
}

/// What FileStorage writes is ASCII. OpenCV 4.6 waits for ever for some other bytes to end.
Status check_ascii(std::string_view text) {
  const auto odd = std::find_if(text.begin(), text.end(),
                                [](char c) { return (c < ' ' || c > '~') && !is_space(c); });
  if (odd != text.end())
    return damaged("not plain text: byte " + std::to_string(odd - text.begin()));
  return Done{};
}

/// OpenCV 4.6 reads past the end of XML that stops within a tag, and nests as deep as the text
/// does. So: whole tags, each closed by one of its name, not too deep.
Status check_xml(std::string_view text) {
  constexpr std::size_t kMaxDepth = 32;
  std::vector<std::string_view> open;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    const std::string place = " at byte " + std::to_string(at);
    const std::size_t end = rest.find('>');
    if (end == std::string_view::npos) return damaged("XML: a tag without end" + place);
    std::string_view tag = rest.substr(1, end - 1);
    at += end + 1;
    const bool is_head = tag.size() > 1 && tag.front() == '?' && tag.back() == '?';
    const bool is_close = !tag.empty() && tag.front() == '/';
    const bool is_both = !tag.empty() && tag.back() == '/';
    if (is_head) tag = tag.substr(1, tag.size() - 2);
    if (is_close) tag.remove_prefix(1);
    if (is_both) tag.remove_suffix(is_close ? 0 : 1);
    if (!is_tag(tag)) return damaged("XML: not a tag" + place);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n"));
    if (is_close) {
      if (open.empty() || open.back() != name)
        return damaged("XML: a tag closed that was not open" + place);
      open.pop_back();
    } else if (!is_head && !is_both) {
      if (open.size() == kMaxDepth) return damaged("XML: nested too deep" + place);
      open.push_back(name);
    }
  }
  if (!open.empty()) return damaged("XML: cut short");
  return Done{};
}

/// The same of JSON's and YAML's brackets, and what YAML nests in a line ("- - -", "a: b: c:").
Status check_depth(std::string_view text) {
  constexpr int kMaxDepth = 32;
  const bool is_yaml = text[0] != '{';
  int depth = 0, in_line = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' ? 1 : (c == ']' || c == '}' ? -1 : 0);
    in_line = c == '\n' ? 0 : in_line + (is_yaml && (c == ':' || c == '-') ? 1 : 0);
    if (depth > kMaxDepth || in_line > 2 * kMaxDepth) return damaged("nested too deep");
  }
  return Done{};
}

/// One document, that begins as FileStorage begins it: OpenCV 4.6 waits for ever for the end of
/// some others.
Status check_yaml(std::string_view text) {
  bool is_first = true;  // of those with content, which says how far in the others must be
  for (int line = 0; !text.empty(); ++line) {
    const std::string_view now = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), now.size() + 1));
    const bool is_start =
        now.substr(0, 3) == "---" && std::all_of(now.begin() + 3, now.end(), is_space);
    const bool is_special = now.substr(0, 3) == "---" || now.substr(0, 1) == "%";
    if (line == 1 ? !is_start : line > 1 && is_special)
      return damaged("YAML: one document was expected, after a line of ---");
    if (line > 1 && is_first && !std::all_of(now.begin(), now.end(), is_space)) {
      if (is_space(now[0])) return damaged("YAML: the first key must begin its line");
      is_first = false;
    }
  }
  return Done{};
}

Result<Model> from_storage(std::string text) {
  const bool is_xml = text[0] == '<';
  if (is_xml)
    if (Status ok = blank_comments(text); !ok) return ok.error();
  if (Status ok = check_ascii(text); !ok) return ok.error();
  if (Status ok = is_xml ? check_xml(text) : check_depth(text); !ok) return ok.error();
  if (text[0] == '%')
    if (Status ok = check_yaml(text); !ok) return ok.error();
  const cv::FileStorage storage{text, cv::FileStorage::READ | cv::FileStorage::MEMORY};
  if (!storage.isOpened()) return damaged("OpenCV cannot read it");
  const cv::FileNode root = storage.root();
  if (!root.isMap()) return damaged("contains no data");
  for (const cv::FileNode& node : root) {
    if (!node.isMap()) continue;
    if (!node["stages"].empty() && !node["featureType"].empty()) return from_cascade(node);
    if (!node["winSize"].empty() && !node["nbins"].empty()) return from_descriptor(node);
    if (!node["svmType"].empty()) return from_svm(node);
    if (!node["size"].empty() && !node["stages"].empty())
      return unsupported("a Haar cascade of OpenCV 1; a HOG cascade was expected");
  }
  return unsupported("neither a HOGDescriptor, nor an SVM, nor a HOG cascade");
}

/// One short line of OpenCV's own words.
std::string words_of(const std::exception& e) {
  std::string text = e.what();
  if (const std::size_t at = text.find("error: "); at != std::string::npos) text.erase(0, at + 7);
  text.resize(std::min(text.size(), text.find('\n')));
  return text;
}

}  // namespace

Result<Model> default_people_detector() {
  try {
    Result<Model> model = dense_of_any_window(cv::HOGDescriptor::getDefaultPeopleDetector());
    if (model) model->name = "opencv-people";
    return model;
  } catch (const std::exception& e) {
    return damaged(words_of(e));
  }
}

Result<Model> parse_opencv_model(std::string_view text) {
  if (text.size() > hog::kMaxModelFile) return damaged("more than 64 MiB");
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return damaged("it is empty");
  text.remove_prefix(start);
  if (text.find('\0') != std::string_view::npos) return damaged("not a text");
  const bool is_storage = text[0] == '<' || text[0] == '{' || text.substr(0, 5) == "%YAML";
  if (!is_storage) return from_list(text);
  try {
    return from_storage(std::string(text));
  } catch (const std::exception& e) {
    return damaged(words_of(e));
  }
}

Result<Model> read_opencv_model(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return Error{Errc::not_found, ENOENT, "open model", std::string_view{path}};
  if (error) return Error{Errc::io, error.value(), "open model", std::string_view{path}};
  if (!fs::is_regular_file(status))
    return Error{Errc::invalid_argument, 0, "open model",
                 std::string_view{"not a regular file: " + path}};
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return Error{Errc::io, error.value(), "open model", std::string_view{path}};
  if (size > hog::kMaxModelFile) return damaged("more than 64 MiB: " + path);
  std::ifstream file{path, std::ios::binary};
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (!file || file.gcount() != static_cast<std::streamsize>(size))
    return Error{Errc::io, errno, "read model", std::string_view{path}};
  Result<Model> model = parse_opencv_model(text);
  if (!model) {
    Error what = model.error();
    what.what.append(" in ").append(path);
    return what;
  }
  model->name = fs::path{path}.stem().string().substr(0, 255);
  for (char& c : model->name)
    if (c < ' ' || c > '~' || c == '\\') c = '_';
  if (!model->name.empty() && model->name[0] == '.') model->name[0] = '_';
  return model;
}

}  // namespace kerb::lab
