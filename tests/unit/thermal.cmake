kerb_add_test(NAME unit_thermal LABELS unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/thermal/test_sysfs_thermal.cpp
  LINKS kerb::drivers_thermal)
