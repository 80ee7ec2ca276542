kerb_add_test(NAME unit_lock LABELS unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/lock/test_device_lock.cpp
  LINKS kerb::drivers_lock)
