// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/json_line.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kerb::lab {

std::string json_line(const std::string& path, int width, int height, double ms,
                      const Detection* people, int count) {
  using Json = nlohmann::json;
  std::string line = fmt::format(
      R"({{"image":{},"width":{},"height":{},"ms":{:.3f},"detections":[)",
      Json(path).dump(-1, ' ', false, Json::error_handler_t::replace), width, height, ms);
  for (int i = 0; i < count; ++i) {
    const Detection& p = people[i];
    line += fmt::format(R"({}{{"x":{},"y":{},"w":{},"h":{},"score":{}}})", i == 0 ? "" : ",", p.x,
                        p.y, p.w, p.h, p.score);
  }
  return line + "]}\n";
}

}  // namespace kerb::lab
