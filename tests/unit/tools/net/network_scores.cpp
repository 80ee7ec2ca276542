// SPDX-License-Identifier: Apache-2.0
// Looks at candidates with an exported network as the product does, for test_network.py.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "gpu/net/second_look.hpp"
#include "tools/import/network_file.hpp"

namespace {

std::vector<char> bytes_of(const char* path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

int fail(const std::string& why) {
  std::fprintf(stderr, "network_scores: %s\n", why.c_str());
  return 2;
}

}  // namespace

/// usage: network_scores NETWORK PICTURE WIDTH HEIGHT BOXES OUT
///   NETWORK  as tools/net/train.py exports it
///   PICTURE  as many planes as the network has, without gaps
///   BOXES    four floats each: x, y, w, h
///   OUT      five floats each: the corrected box and the score
int main(int count, char** words) {
  using namespace kerb;
  if (count != 7) return fail("expected 6 words");
  Result<net::Network> network = lab::read_network(words[1]);
  if (!network) return fail(describe(network.error()));
  const std::vector<char> picture = bytes_of(words[2]);
  const int width = std::atoi(words[3]), height = std::atoi(words[4]);
  const std::size_t plane = std::size_t(width) * std::size_t(height);
  const int planes = network->crop.planes;
  if (plane == 0 || picture.size() != std::size_t(planes) * plane)
    return fail("the picture has another size");
  const std::vector<char> boxes = bytes_of(words[5]);
  constexpr std::size_t kBox = 4 * sizeof(float);
  if (boxes.size() % kBox != 0) return fail("the boxes are cut off");
  std::vector<Detection> people(boxes.size() / kBox);
  for (std::size_t i = 0; i < people.size(); ++i) {
    float box[4];
    std::memcpy(box, boxes.data() + i * kBox, kBox);
    people[i] = {box[0], box[1], box[2], box[3], 0};
  }
  Workers workers{1};
  auto look = net::make_second_look_cpu(workers, std::move(*network), width, height);
  if (!look) return fail(describe(look.error()));
  const PlanesView<Space::host, const std::uint8_t> view{
      reinterpret_cast<const std::uint8_t*>(picture.data()),
      planes,
      width,
      height,
      width,
      static_cast<std::ptrdiff_t>(plane)};
  constexpr std::size_t kAtOnce = net::SecondLook::kMaxCandidates;
  for (std::size_t i = 0; i < people.size(); i += kAtOnce) {
    const auto some = static_cast<int>(std::min(kAtOnce, people.size() - i));
    if (const Status ok = (*look)->look(view, people.data() + i, some); !ok)
      return fail(describe(ok.error()));
  }
  static_assert(sizeof(Detection) == 5 * sizeof(float));
  std::ofstream out{words[6], std::ios::binary};
  out.write(reinterpret_cast<const char*>(people.data()),
            static_cast<std::streamsize>(people.size() * sizeof(Detection)));
  out.close();
  return out ? 0 : fail("the results cannot be written");
}
