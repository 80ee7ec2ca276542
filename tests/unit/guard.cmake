kerb_add_test(NAME unit_guard LABELS unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/guard/test_guard.cpp
  LINKS kerb::drivers_guard)
