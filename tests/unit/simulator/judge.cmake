# The proving ground's judge, and firmware that runs in its scenarios.
kerb_add_test(NAME unit_sim_judge SOURCES simulator/test_judge.cpp
  LINKS kerb::sim_judge kerb::firmware_warning LABELS unit)
kerb_add_test(NAME unit_sim_sight SOURCES simulator/test_sight.cpp
  LINKS kerb::sim_judge LABELS unit)
kerb_add_test(NAME unit_sim_run SOURCES simulator/test_run.cpp
  LINKS kerb::sim_run LABELS unit THREADED)
kerb_add_test(NAME unit_sim_report SOURCES simulator/test_report.cpp
  LINKS kerb::sim_report kerb::sim_run kerb::json LABELS unit)
