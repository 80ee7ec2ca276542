// SPDX-License-Identifier: Apache-2.0
// Cuts a crop as the product does, for test_pack.py.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "gpu/net/crop.hpp"

/// usage: crop_samples IN WIDTH HEIGHT CROP_WIDTH CROP_HEIGHT PERSON_HEIGHT X Y W H OUT
/// IN and OUT: R, G and B planes, without gaps.
int main(int count, char** words) {
  using namespace kerb;
  if (count != 12) {
    std::fputs("crop_samples: expected 11 words\n", stderr);
    return 2;
  }
  const auto whole = [&](int i) { return std::atoi(words[i]); };
  const auto real = [&](int i) { return std::strtof(words[i], nullptr); };
  const int width = whole(2), height = whole(3);
  std::ifstream in{words[1], std::ios::binary};
  std::vector<std::uint8_t> picture{std::istreambuf_iterator<char>{in}, {}};
  const auto plane = std::size_t(width) * std::size_t(height);
  if (picture.size() != 3 * plane) {
    std::fputs("crop_samples: the picture has another size\n", stderr);
    return 2;
  }
  net::CropShape shape;
  shape.width = whole(4);
  shape.height = whole(5);
  shape.person_height = whole(6);
  Detection person;
  person.x = real(7);
  person.y = real(8);
  person.w = real(9);
  person.h = real(10);
  const PlanesView<Space::host, const std::uint8_t> view{
      picture.data(), 3, width, height, width, static_cast<std::ptrdiff_t>(plane)};
  std::vector<std::uint8_t> crop(3 * std::size_t(shape.width) * std::size_t(shape.height));
  net::cut_crop(view, shape, net::place_crop(shape, person), crop.data());
  std::ofstream out{words[11], std::ios::binary};
  out.write(reinterpret_cast<const char*>(crop.data()), static_cast<std::streamsize>(crop.size()));
  return out.good() ? 0 : 2;
}
