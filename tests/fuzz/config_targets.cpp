// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "firmware/config/config.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerb::fuzz {

void configuration(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const LoadResult read = parse_config(text, "f");
  if (!read.ok()) {
    const std::vector<std::string> lines = read.lines();
    demand(!lines.empty(), "problems have lines");
    for (const std::string& line : lines)
      demand(std::ranges::all_of(
                 line, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; }),
             "problems are printable lines");
    demand(render_config(read.config) == render_default_config(), "what is wrong is not used");
    return;
  }
  const std::string rendered = render_config(read.config);
  const LoadResult again = parse_config(rendered, "f");
  demand(again.ok(), "what is accepted can be written and read");
  demand(render_config(again.config) == rendered, "it is the same then");
}

std::vector<Bytes> configuration_seeds() {
  std::vector<Bytes> seeds;
  const std::string whole = render_default_config();
  for (const std::string& text :
       {whole.substr(0, 4000), whole.substr(whole.size() / 2, 4000),
        std::string{"[[camera]]\nname = \"front\"\nwidth = 1280\nheight = 720\nheight_m = 1.3\n"
                    "pitch_deg = -2.5\n[can]\nenabled = true\ninterface = \"can0\"\n[warning]\n"
                    "likelihood = 0.55\n[clock]\nrate = 1.0\n"},
        std::string{"[[camera]]\nname = \"a\"\n[[camera]]\nname = \"b\"\n[[camera_pair]]\n"
                    "first = \"a\"\nsecond = \"b\"\n[thermal]\nwarn_celsius = nan\n"}})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}

}  // namespace kerb::fuzz
