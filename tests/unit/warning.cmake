kerb_add_test(NAME unit_warning SOURCES firmware/warning/test_alert_outputs.cpp
  LINKS kerb::firmware_warning LABELS unit)
# Risk and warning in the simulator's scenarios; every seventh under the sanitizers and under qemu.
set(runs)
if(KERB_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(runs --every 7)
endif()
kerb_add_test(NAME unit_warning_proving_ground SOURCES firmware/warning/test_proving_ground.cpp
  LINKS kerb::firmware_warning kerb::sim_judge kerb::sim_scenario kerb::eigen LABELS unit ARGS ${runs})
