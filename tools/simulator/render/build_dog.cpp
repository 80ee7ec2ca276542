// SPDX-License-Identifier: Apache-2.0
// A dog, from the parts that the people's folder makes.
#include "tools/simulator/people/dog.hpp"
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {

void build_dog(Builder& b, V3 size, std::uint16_t paint, std::uint64_t,
               std::vector<Hinge>& hinges) {
  const auto real = [](V3 v) { return Vec3{v.x, v.y, v.z}; };
  Geometry made;
  const float stride = 1.3F * size.z;
  for (const people::DogPart& part : people::dog_parts(real(size))) {
    const auto first = static_cast<std::uint32_t>(made.corners.size());
    for (std::size_t i = 0; i < part.skin.points.size(); ++i) {
      const V3 p = to_v3(part.skin.points[i]);
      made.corners.push_back({p, to_v3(part.skin.normals[i]), p.x, p.z,
                              0.55F + 0.45F * smooth(0.2F, 0.9F, p.z / size.z)});
    }
    for (const auto& t : part.skin.triangles)
      made.faces.push_back({{first + t[0], first + t[1], first + t[2]},
                            part.dark ? id_of(Base::black_plastic) : paint,
                            0});
    if (part.leg < 0) continue;
    const bool together = part.leg == 0 || part.leg == 3;
    hinges.push_back({first,
                      static_cast<std::uint32_t>(made.corners.size()),
                      to_v3(part.pivot),
                      {0, 1, 0},
                      Hinge::Drive::leg,
                      0.42F,
                      1 / stride,
                      together ? 0.0F : 0.5F});
  }
  b.add(made, {});
}

}  // namespace kerb::sim
