// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tools/import/opencv_models.hpp"

namespace kerb::fuzz {

void opencv_model(const std::uint8_t* data, std::size_t size) {
  const Result<hog::Model> model =
      lab::parse_opencv_model({reinterpret_cast<const char*>(data), size});
  demand(!model || hog::validate(*model), "what is imported is valid");
}

std::vector<Bytes> opencv_seeds() {
  const auto stored = [](const std::string& content) {
    std::string text = "<?xml version=\"1.0\"?>\n<opencv_storage>\n";
    return text.append(content).append("\n</opencv_storage>\n");
  };
  const std::string cascade =
      "<cascade><stageType>BOOST</stageType><featureType>HOG</featureType><height>96</height>"
      "<width>48</width><featureParams><featSize>36</featSize></featureParams><stages><_>"
      "<stageThreshold>-0.5</stageThreshold><weakClassifiers><_><internalNodes>1 0 0 1.5e-2 -1 -2 1"
      " 0.25</internalNodes><leafValues>-0.5 0.75 1</leafValues></_><_><internalNodes>0 -1 1 0.1"
      "</internalNodes><leafValues>1 "
      "-1</leafValues></_></weakClassifiers></_></stages><features><_>"
      "<rect>0 0 16 16 8</rect></_><_><rect>4 8 20 40 35</rect></_></features></cascade>";
  // A window of one block, so that the file stays small.
  std::string numbers;
  for (int i = 0; i < 37; ++i) numbers += std::to_string(i) + ".5 ";
  const std::string hog =
      "<hog><winSize>16 16</winSize><blockSize>16 16</blockSize><blockStride>8 8</blockStride>"
      "<cellSize>8 8</cellSize><nbins>9</nbins><derivAperture>1</derivAperture><winSigma>-1."
      "</winSigma><histogramNormType>0</histogramNormType><L2HysThreshold>0.2</L2HysThreshold>"
      "<gammaCorrection>1</gammaCorrection><nlevels>64</nlevels><signedGradient>0</signedGradient>"
      "<SVMDetector>" +
      numbers + "</SVMDetector></hog>";
  const std::string svm =
      "<opencv_ml_svm><svmType>C_SVC</svmType><kernel><type>LINEAR</type></kernel>"
      "<support_vectors><_>1 2</_><_>3 4</_></support_vectors><decision_functions><_><rho>1.</rho>"
      "<alpha>1. 2.</alpha><index>0 1</index></_></decision_functions></opencv_ml_svm>";
  std::string list;
  for (int i = 0; i < 1981; ++i) list += "1,";
  std::vector<Bytes> seeds;
  for (const std::string& text :
       {stored(cascade), stored(hog), stored(svm), list,
        std::string{"%YAML:1.0\n---\nhog:\n   winSize: [ 16, 16 ]\n   nbins: 9\n"},
        std::string{"{\"hog\": {\"winSize\": [16, 16], \"nbins\": 9}}"}})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}

}  // namespace kerb::fuzz
