# The proving ground's judge, and firmware that runs in its scenarios.
kerb_add_test(NAME unit_sim_judge SOURCES simulator/test_judge.cpp
  LINKS kerb::sim_judge kerb::firmware_warning LABELS unit)
kerb_add_test(NAME unit_sim_dangers SOURCES simulator/test_dangers.cpp
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
kerb_add_test(NAME unit_sim_sweep SOURCES tools/test_sim_sweep.cpp
  LINKS kerb::lab_sim kerb::sim_world kerb::tools_eval LABELS unit)
kerb_add_test(NAME unit_sim_ledger SOURCES tools/test_sim_ledger.cpp
  LINKS kerb::lab_sim kerb::firmware_schema LABELS unit)
if(TARGET kerb::lab_pictures)
  kerb_add_test(NAME unit_sim_kerblab_ledger SOURCES tools/test_kerblab_sim_ledger.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_add_test(NAME unit_sim_kerblab_run SOURCES tools/test_kerblab_sim_run.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  # The firmware itself, on pictures: some 600 of them, so not under the sanitizers.
  # The repository's ledger: the page is what its files say.
  kerb_tests_want(ledger_wanted "unit;kerblab")
  if(ledger_wanted AND NOT CMAKE_CROSSCOMPILING)
    add_test(NAME docs_ledger COMMAND kerblab sim ledger --check WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(docs_ledger PROPERTIES LABELS "unit;kerblab")
  endif()
  kerb_tests_want(wanted "unit;kerblab;optimised")
  if(wanted AND NOT KERB_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    add_test(NAME suite_brief COMMAND kerblab sim run --suite brief --backend cpu)
    # Without their bands, the first two change numbers, and the third is warned of.
    add_test(NAME suite_bands COMMAND kerblab sim run --suite camouflage --backend cpu
      --only meet-10m$ --only meet-13m$ --only waits-20kmh$)
    # What the README's first command runs.
    add_test(NAME suite_demo COMMAND kerblab sim demo --backend cpu --out ${CMAKE_CURRENT_BINARY_DIR}/demo)
    set_tests_properties(suite_brief suite_bands suite_demo PROPERTIES LABELS "unit;kerblab;optimised" TIMEOUT 2400 COST 20
      ENVIRONMENT KERBWATCH_MODELS=${PROJECT_SOURCE_DIR}/models)
  endif()
endif()
