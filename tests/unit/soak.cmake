# The product with faults at random: a few minutes of its clock here. By hand, and with ./kerb test --long, an hour.
kerb_add_test(NAME unit_soak_judge SOURCES firmware/soak/test_soak_judge.cpp firmware/soak/soak_judge.cpp
  LINKS kerb::hal LABELS unit)
set(soak_minutes 4)
if(KERB_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(soak_minutes 1)
endif()
kerb_add_test(NAME unit_soak
  SOURCES firmware/soak/test_soak.cpp firmware/soak/soak.cpp firmware/soak/soak_faults.cpp firmware/soak/soak_judge.cpp
    ${drive}
  LINKS kerb::firmware_control kerb::json LABELS unit THREADED OPTIMISED COUNTS_ALLOCATIONS
  ARGS --minutes ${soak_minutes})
if(KERB_FAULT_POINTS)  # faults of the product's own calls as well
  kerb_test_uses(unit_soak DEFINES KERB_FAULT_POINTS=1)
endif()
