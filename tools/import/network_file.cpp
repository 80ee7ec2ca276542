// SPDX-License-Identifier: Apache-2.0
#include "tools/import/network_file.hpp"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "tools/files/text.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::json;

Error damaged_network(const std::string& text) {
  return {Errc::damaged, 0, "network", std::string_view{text}};
}

/// Members of a JSON object. After the first that is missing or wrong all are 0, and `error` says
/// which.
class Members {
 public:
  explicit Members(std::string& error) : error_{error} {}

  void whole(const Json& from, const char* name, int& out) {
    const Json* value = find(from, name);
    if (value != nullptr) out = whole<int>(*value, name);
  }
  template <typename T>
  void list(const Json& from, const char* name, std::vector<T>& out) {
    const Json* values = find(from, name);
    if (values == nullptr) return;
    if (!values->is_array()) return fail(name, "is not a list");
    out.reserve(values->size());
    for (const Json& value : *values) {
      if constexpr (std::is_same_v<T, float>) {
        if (!value.is_number()) return fail(name, "has something else than numbers");
        out.push_back(value.get<float>());
      } else {
        out.push_back(whole<T>(value, name));
      }
      if (!error_.empty()) return;
    }
  }
  const Json* find(const Json& from, const char* name) {
    if (!error_.empty()) return nullptr;
    if (from.is_object())
      if (const auto at = from.find(name); at != from.end()) return &*at;
    fail(name, "is missing");
    return nullptr;
  }
  void fail(const char* name, const char* what) {
    if (error_.empty()) error_ = std::string{name} + " " + what;
  }

 private:
  template <typename T>
  T whole(const Json& value, const char* name) {
    const bool huge = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max();
    if (value.is_number_integer() && !huge) {
      const auto number = value.get<std::int64_t>();
      if (number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max())
        return static_cast<T>(number);
    }
    fail(name, "is not a whole number in its range");
    return 0;
  }

  std::string& error_;
};

}  // namespace

Result<net::Network> parse_network(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return damaged_network("no JSON");
  std::string error;
  Members members{error};
  net::Network network;
  if (const Json* crop = members.find(json, "crop"); crop != nullptr) {
    members.whole(*crop, "width", network.crop.width);
    members.whole(*crop, "height", network.crop.height);
    members.whole(*crop, "planes", network.crop.planes);
    members.whole(*crop, "person_height", network.crop.person_height);
  }
  const Json* layers = members.find(json, "layers");
  if (layers != nullptr && !layers->is_array()) members.fail("layers", "is not a list");
  if (!error.empty()) return damaged_network(error);
  for (const Json& from : *layers) {
    net::Layer layer;
    members.whole(from, "inputs", layer.inputs);
    members.whole(from, "outputs", layer.outputs);
    members.whole(from, "kernel_width", layer.kernel_width);
    members.whole(from, "kernel_height", layer.kernel_height);
    members.whole(from, "stride", layer.stride);
    members.whole(from, "padding", layer.padding);
    members.list(from, "weights", layer.weights);
    members.list(from, "bias", layer.bias);
    members.list(from, "factor", layer.factor);
    if (!error.empty())
      return damaged_network("layer " + std::to_string(network.layers.size()) + ": " + error);
    network.layers.push_back(std::move(layer));
  }
  if (Status ok = net::validate(network); !ok) return ok.error();
  return network;
}

Result<net::Network> read_network(const std::string& path) {
  const Result<std::string> text = files::read_text("open network", path);
  if (!text) return text.error();
  Result<net::Network> network = parse_network(*text);
  if (!network) {
    Error error = network.error();
    error.what.append(" in ").append(path);
    return error;
  }
  return network;
}

}  // namespace kerb::lab
