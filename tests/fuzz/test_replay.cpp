// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/fuzz/targets.hpp"
#include "tests/support/test.hpp"

using namespace kerb::fuzz;

namespace {

/// What libFuzzer does, in small: the seeds as they are, then with a few random changes, always the
/// same ones.
template <typename Target>
void replay(Target target, const std::vector<Bytes>& seeds, int rounds) {
  std::mt19937 random{1};
  target(nullptr, 0);
  for (const Bytes& seed : seeds) {
    target(seed.data(), seed.size());
    for (int i = 0; i < rounds; ++i) {
      Bytes bytes = seed;
      for (auto n = 1 + random() % 6; n > 0 && !bytes.empty(); --n) {
        const std::size_t at = random() % bytes.size(), count = 1 + random() % 4;
        const auto there = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random() % 5) {
          case 0:
            bytes[at] = static_cast<std::uint8_t>(random());
            break;
          case 1:
            bytes[at] = random() % 2 == 0 ? 0 : 255;
            break;
          case 2:
            bytes[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
            break;
          case 3:
            bytes.insert(there, count, static_cast<std::uint8_t>(random()));
            break;
          default:
            bytes.resize(at);
        }
      }
      target(bytes.data(), bytes.size());
    }
  }
}

// A broken promise ends the program; to come back from these is to pass.
TEST(model_files_survive_any_change) { replay(model_file, model_seeds(), 300); }
TEST(models_that_parse_can_be_run) { replay(engine, model_seeds(), 12); }
TEST(pictures_of_counts_survive_any_change) { replay(thermal_frames, thermal_seeds(), 400); }
#ifdef KERB_FUZZ_OPENCV
TEST(opencvs_files_survive_any_change) { replay(opencv_model, opencv_seeds(), 60); }
#endif
#ifdef KERB_FUZZ_EVAL
TEST(truth_survives_any_change) { replay(truth, truth_seeds(), 500); }
TEST(detections_survive_any_change) { replay(detections, detection_seeds(), 500); }
TEST(files_of_sets_survive_any_change) { replay(picture_sets, picture_set_seeds(), 500); }
#endif
#ifdef KERB_FUZZ_SCENARIO
TEST(scenarios_survive_any_change) { replay(scenario, scenario_seeds(), 300); }
#endif
#ifdef KERB_FUZZ_RECORDS
TEST(records_survive_any_change) { replay(record, record_seeds(), 60); }
TEST(tables_of_fields_survive_any_change) { replay(field_table, field_table_seeds(), 2000); }
#endif
#ifdef KERB_FUZZ_DIAGNOSTICS
TEST(requests_of_a_tester_survive_any_change) { replay(uds, uds_seeds(), 2000); }
TEST(files_of_trouble_codes_survive_any_change) { replay(dtc_file, dtc_file_seeds(), 2000); }
#endif
#ifdef KERB_FUZZ_DBC
TEST(dbc_files_survive_any_change) { replay(dbc_file, dbc_seeds(), 300); }
#endif

}  // namespace
