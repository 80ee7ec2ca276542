// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "firmware/events/rotating_file.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/temp_folder.hpp"

namespace kerb::fuzz {
namespace {

std::string content(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void check_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    demand(end != std::string_view::npos, "every line has its end");
    demand(nlohmann::json::accept(text.substr(0, end)), "every line is JSON");
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void event_log(const std::uint8_t* data, std::size_t size) {
  static const test::TempFolder folder;
  const std::string path = folder.write("events", {reinterpret_cast<const char*>(data), size});
  const std::string line = "{\"event\":\"new\"}\n";
  const std::uint64_t room = size + line.size() + 1;
  {
    RotatingFile log{path, room, 2};
    demand(log.open() == 0, "whatever is in it, it is opened");
    const std::string repaired = content(path);
    check_lines(repaired);
    demand(repaired.size() <= size + 1, "a repair adds a line feed at most");
    demand(log.append(line) == 0, "it goes on");
    demand(content(path) == repaired + line, "behind what is good");
  }
  RotatingFile again{path, room, 2};
  demand(again.open() == 0 && again.take_bytes_cut() == 0, "a second repair finds nothing");
}

std::vector<Bytes> event_log_seeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view text :
       {"{\"t\":1.5,\"event\":\"started\",\"pid\":12}\n{\"t\":2,\"event\":\"warning\"}\n",
        "{\"t\":1,\"event\":\"a\"}\n{\"t\":2,\"ev", "\n\n{}\n{\"a\":[1,2,{\"b\":null}]}"})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}

}  // namespace kerb::fuzz
