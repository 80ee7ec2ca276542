kerb_add_test(NAME unit_watchdog LABELS unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/watchdog/test_watchdogs.cpp
  LINKS kerb::drivers_watchdog)
