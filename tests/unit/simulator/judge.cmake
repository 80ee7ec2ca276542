# The proving ground's judge, and firmware that runs in its scenarios.
kerb_add_test(NAME unit_sim_judge SOURCES simulator/test_judge.cpp
  LINKS kerb::sim_judge kerb::firmware_warning LABELS unit)
kerb_add_test(NAME unit_sim_identities SOURCES simulator/test_identities.cpp
  LINKS kerb::sim_judge LABELS unit)
kerb_add_test(NAME unit_sim_sight SOURCES simulator/test_sight.cpp
  LINKS kerb::sim_judge LABELS unit)
kerb_add_test(NAME unit_sim_sight_and_picture SOURCES simulator/test_sight_and_picture.cpp
  LINKS kerb::sim_judge kerb::sim_render kerb::sim_scenario LABELS unit)
kerb_add_test(NAME unit_sim_run SOURCES simulator/test_run.cpp
  LINKS kerb::sim_run LABELS unit THREADED)
kerb_add_test(NAME unit_sim_vision_log SOURCES simulator/test_vision_log.cpp
  LINKS kerb::sim_run kerb::gpu_hog LABELS unit THREADED)
kerb_add_test(NAME unit_sim_report SOURCES simulator/test_report.cpp
  LINKS kerb::sim_report kerb::sim_run kerb::json LABELS unit)
kerb_add_test(NAME unit_sim_merge SOURCES simulator/test_merge.cpp
  LINKS kerb::sim_report kerb::sim_run kerb::json LABELS unit)
kerb_add_test(NAME unit_sim_judged_suites SOURCES simulator/test_judged_suites.cpp
  LINKS kerb::sim_report kerb::sim_run kerb::sim_scenario LABELS unit)
kerb_add_test(NAME unit_sim_hours SOURCES simulator/test_hours.cpp
  LINKS kerb::sim_report kerb::sim_run kerb::sim_scenario LABELS unit)
kerb_add_test(NAME unit_sim_play_file SOURCES simulator/test_play_file.cpp
  LINKS kerb::sim_hil LABELS unit)
if(TARGET kerb::lab_pictures)
  kerb_add_test(NAME unit_sim_kerblab_run SOURCES tools/test_kerblab_sim_run.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  # The firmware itself, on pictures: some 600 of them, so not under the sanitizers.
  kerb_tests_want(wanted "unit;kerblab;optimised")
  if(wanted AND NOT KERB_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    add_test(NAME suite_brief COMMAND kerblab sim run --suite brief --backend cpu)
    # Without their bands, the first two change numbers, and the third is warned of.
    add_test(NAME suite_bands COMMAND kerblab sim run --suite camouflage --backend cpu
      --only meet-10m$ --only meet-13m$ --only waits-20kmh$)
    # What the README's first command runs.
    add_test(NAME suite_demo COMMAND kerblab sim demo --backend cpu --out ${CMAKE_CURRENT_BINARY_DIR}/demo)
    set_tests_properties(suite_brief suite_bands suite_demo PROPERTIES LABELS "unit;kerblab;optimised" TIMEOUT 1200 COST 20
      ENVIRONMENT KERBWATCH_MODELS=${PROJECT_SOURCE_DIR}/models)
  endif()
endif()
