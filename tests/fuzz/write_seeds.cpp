// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/targets.hpp"

// write_seeds FOLDER: the first inputs, in FOLDER/model, FOLDER/opencv and so on.
int main(int argc, char** argv) {
  using namespace kerb::fuzz;
  namespace fs = std::filesystem;
  if (argc != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  const auto write = [&argv](const char* name, const std::vector<Bytes>& seeds) {
    const fs::path folder = fs::path{argv[1]} / name;
    fs::create_directories(folder);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      std::ofstream file{folder / std::to_string(i), std::ios::binary};
      file.write(reinterpret_cast<const char*>(seeds[i].data()),
                 static_cast<std::streamsize>(seeds[i].size()));
      if (!file.flush()) return false;
    }
    return true;
  };
  bool done = write("model", model_seeds()) && write("thermal", thermal_seeds());
#ifdef KERB_FUZZ_OPENCV
  done = write("opencv", opencv_seeds()) && done;
#endif
#ifdef KERB_FUZZ_EVAL
  done = write("truth", truth_seeds()) && write("detections", detection_seeds()) &&
         write("picture_sets", picture_set_seeds()) && done;
#endif
#ifdef KERB_FUZZ_SCENARIO
  done = write("scenario", scenario_seeds()) && done;
#endif
#ifdef KERB_FUZZ_RECORDS
  done = write("record", record_seeds()) && write("field_table", field_table_seeds()) && done;
#endif
#ifdef KERB_FUZZ_DIAGNOSTICS
  done = write("uds", uds_seeds()) && write("dtc_file", dtc_file_seeds()) && done;
#endif
#ifdef KERB_FUZZ_DBC
  done = write("dbc", dbc_seeds()) && done;
#endif
  if (!done) std::fprintf(stderr, "%s: cannot be written\n", argv[1]);
  return done ? 0 : 1;
}
