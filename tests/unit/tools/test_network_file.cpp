// SPDX-License-Identifier: Apache-2.0
#include "tools/import/network_file.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::lab;
using kerb::test::TempFolder;

namespace {

using Json = nlohmann::json;

/// One layer from 2 x 2 grey pixels to the four results.
Json small_network() {
  Json layer = {
      {"inputs", 1}, {"outputs", 4}, {"kernel_width", 2},     {"kernel_height", 2},
      {"stride", 1}, {"padding", 0}, {"bias", {1, -2, 3, 0}}, {"factor", {0.5, 0.25, 1, 2}}};
  for (int i = 0; i < 16; ++i) layer["weights"].push_back(i - 8);
  return {{"crop", {{"width", 2}, {"height", 2}, {"planes", 1}, {"person_height", 2}}},
          {"layers", {layer}}};
}

void says(const Json& json, Errc code, const char* words) {
  const Result<net::Network> result = parse_network(json.dump());
  TEST_ASSERT_ERROR(code, result);
  const std::string text = describe(result.error());
  if (text.find(words) == std::string::npos) TEST_FAIL_MESSAGE((text + " != " + words).c_str());
}

TEST(what_was_exported_is_read) {
  const Result<net::Network> network = parse_network(small_network().dump());
  TEST_ASSERT_OK(network);
  TEST_ASSERT_EQUAL_INT(2, network->crop.width);
  TEST_ASSERT_EQUAL_INT(1, network->crop.planes);
  TEST_ASSERT_EQUAL_size_t(1, network->layers.size());
  const net::Layer& layer = network->layers[0];
  TEST_ASSERT_EQUAL_INT(2, layer.kernel_height);
  TEST_ASSERT_EQUAL_INT(-8, layer.weights[0]);
  TEST_ASSERT_EQUAL_INT(7, layer.weights[15]);
  TEST_ASSERT_EQUAL_INT(-2, layer.bias[1]);
  TEST_ASSERT_EQUAL_FLOAT(0.25F, layer.factor[1]);
}

TEST(what_is_missing_or_wrong_is_named) {
  TEST_ASSERT_ERROR(Errc::damaged, parse_network(""));
  TEST_ASSERT_ERROR(Errc::damaged, parse_network("{\"crop\": "));
  TEST_ASSERT_ERROR(Errc::damaged, parse_network("[1, 2]"));
  Json json = small_network();
  json.erase("crop");
  says(json, Errc::damaged, "crop is missing");
  json = small_network();
  json["crop"].erase("planes");
  says(json, Errc::damaged, "planes is missing");
  json = small_network();
  json["layers"] = 3;
  says(json, Errc::damaged, "layers is not a list");
  json = small_network();
  json["layers"][0]["weights"][3] = 128;
  says(json, Errc::damaged, "layer 0: weights is not a whole number in its range");
  json["layers"][0]["weights"][3] = 18446744073709551615ULL;  // -1 in 64 bits
  says(json, Errc::damaged, "weights is not a whole number in its range");
  json = small_network();
  json["layers"][0]["weights"][3] = 1.5;
  says(json, Errc::damaged, "weights");
  json = small_network();
  json["layers"][0]["factor"][0] = "much";
  says(json, Errc::damaged, "factor has something else than numbers");
  json = small_network();
  json["layers"][0]["stride"] = 1e12;
  says(json, Errc::damaged, "stride");
  json = small_network();
  json["layers"][0]["bias"].push_back(1);  // one too many
  says(json, Errc::invalid_argument, "");
  json = small_network();
  json["layers"] = Json::array();
  says(json, Errc::invalid_argument, "");
}

TEST(a_file_is_named) {
  const TempFolder folder;
  TEST_ASSERT_OK(read_network(folder.write("good.json", small_network().dump())));
  const Result<net::Network> bad = read_network(folder.write("bad.json", "{}"));
  TEST_ASSERT_ERROR(Errc::damaged, bad);
  TEST_ASSERT_TRUE(describe(bad.error()).find("bad.json") != std::string::npos);
  TEST_ASSERT_ERROR(Errc::not_found, read_network(folder.at("none.json")));
}

}  // namespace
