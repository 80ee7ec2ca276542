kerb_add_test(NAME unit_ego_geometry SOURCES firmware/ego/test_geometry.cpp
  LINKS kerb::firmware_ego LABELS unit)
kerb_add_test(NAME unit_ego_estimator SOURCES firmware/ego/test_ego_estimator.cpp
  LINKS kerb::firmware_ego LABELS unit OPTIMISED COUNTS_ALLOCATIONS)
# Every drive where nothing slows it down; one in three under the sanitizers and under qemu.
set(drives)
if(KERB_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(drives --some)
endif()
kerb_add_test(NAME unit_ego_doubt SOURCES firmware/ego/test_ego_doubt.cpp
  LINKS kerb::firmware_ego LABELS unit OPTIMISED ARGS ${drives})
kerb_add_test(NAME unit_ego_motion_watch SOURCES firmware/ego/test_motion_estimator.cpp
  LINKS kerb::firmware_ego LABELS unit)
kerb_add_test(NAME unit_ego_vehicle_history SOURCES firmware/ego/test_vehicle_history.cpp
  LINKS kerb::firmware_ego LABELS unit)
kerb_add_test(NAME unit_ego_straightener SOURCES firmware/ego/test_rectifier.cpp
  LINKS kerb::firmware_ego kerb::firmware_config LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_lens SOURCES firmware/lens/test_lens.cpp LINKS kerb::firmware_lens LABELS unit)
kerb_add_test(NAME unit_lens_pair_geometry SOURCES firmware/lens/test_pair_geometry.cpp LINKS kerb::firmware_lens LABELS unit)
foreach(name estimator doubt straightener)  # they fill fields of points, frame after frame
  kerb_test_uses(unit_ego_${name} OPTIONS $<$<CONFIG:Debug>:-O1>)
endforeach()
