kerb_add_test(NAME unit_risk_along_road SOURCES firmware/risk/test_along_road.cpp
  LINKS kerb::firmware_risk LABELS unit)
kerb_add_test(NAME unit_risk_car_path SOURCES firmware/risk/test_car_path.cpp
  LINKS kerb::firmware_risk LABELS unit)
kerb_add_test(NAME unit_risk_contact SOURCES firmware/risk/test_contact.cpp
  LINKS kerb::firmware_risk LABELS unit COUNTS_ALLOCATIONS)
# All samples where nothing slows it down; fewer under the sanitizers and under qemu.
set(samples)
if(KERB_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(samples --some)
endif()
kerb_add_test(NAME unit_risk_contact_sampling SOURCES firmware/risk/test_contact_sampling.cpp
  LINKS kerb::firmware_risk LABELS unit OPTIMISED ARGS ${samples})
kerb_test_uses(unit_risk_contact_sampling OPTIONS $<$<CONFIG:Debug>:-O1>)
kerb_add_test(NAME unit_risk_turn SOURCES firmware/risk/test_turn.cpp
  LINKS kerb::firmware_risk LABELS unit)
kerb_test_uses(unit_risk_turn OPTIONS $<$<CONFIG:Debug>:-O1>)
