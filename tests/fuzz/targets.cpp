// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets.hpp"

namespace kerb::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"model", model_file, model_seeds, 300},
      {"engine", engine, model_seeds, 12},
      {"thermal", thermal_frames, thermal_seeds, 400},
#ifdef KERB_FUZZ_OPENCV
      {"opencv", opencv_model, opencv_seeds, 60},
#endif
#ifdef KERB_FUZZ_SCENARIO
      {"scenario", scenario, scenario_seeds, 300},
#endif
#ifdef KERB_FUZZ_TOOLS
      {"truth", truth, truth_seeds, 500},
      {"detections", detections, detection_seeds, 500},
      {"picture_sets", picture_sets, picture_set_seeds, 500},
      {"npy", npy, npy_seeds, 2000},
      {"flo", flo, flo_seeds, 2000},
      {"mot", mot, mot_seeds, 1000},
      {"play", play, play_seeds, 2000},
      {"trace", trace, trace_seeds, 2000},
#endif
#ifdef KERB_FUZZ_RECORDS
      {"record", record, record_seeds, 60},
      {"field_table", field_table, field_table_seeds, 2000},
#endif
#ifdef KERB_FUZZ_FIRMWARE
      {"uds", uds, uds_seeds, 2000},
      {"dtc_file", dtc_file, dtc_file_seeds, 2000},
      {"configuration", configuration, configuration_seeds, 100},
      {"bus", bus, bus_seeds, 1000},
      {"event_log", event_log, event_log_seeds, 100},
#endif
#ifdef KERB_FUZZ_DBC
      {"dbc", dbc_file, dbc_seeds, 300},
#endif
#ifdef KERB_FUZZ_JPEG
      {"mjpeg", mjpeg, mjpeg_seeds, 1000},
#endif
  };
  return all;
}

}  // namespace kerb::fuzz
