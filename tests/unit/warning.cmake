kerb_add_test(NAME unit_warning SOURCES firmware/warning/test_alert_levels.cpp firmware/warning/test_alert_outputs.cpp
  LINKS kerb::firmware_warning LABELS unit)
kerb_add_test(NAME unit_warning_logic SOURCES firmware/warning/test_warning_logic.cpp
  LINKS kerb::firmware_warning kerb::sim_judge LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_warning_readiness SOURCES firmware/warning/test_readiness.cpp
  LINKS kerb::firmware_warning LABELS unit)
kerb_add_test(NAME unit_warning_limited_view SOURCES firmware/warning/test_limited_view.cpp
  LINKS kerb::firmware_warning LABELS unit)
kerb_add_test(NAME unit_warning_off_switch SOURCES firmware/warning/test_off_switch.cpp
  LINKS kerb::firmware_warning LABELS unit)
# Risk and warning in the simulator's scenarios: every third; fewer under the sanitizers and qemu.
set(runs --every 3)
if(KERB_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(runs --every 15)
endif()
kerb_add_test(NAME unit_warning_proving_ground SOURCES firmware/warning/test_proving_ground.cpp
  LINKS kerb::firmware_risk kerb::firmware_warning kerb::sim_judge kerb::sim_scenario kerb::eigen LABELS unit OPTIMISED ARGS ${runs})
