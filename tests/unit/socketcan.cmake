set(dir ${CMAKE_CURRENT_LIST_DIR}/drivers/socketcan)
kerb_add_test(NAME unit_socketcan_codec LABELS unit
  SOURCES ${dir}/test_codec.cpp
  LINKS kerb::drivers_socketcan)
kerb_add_test(NAME unit_socketcan_bus LABELS unit
  SOURCES ${dir}/test_socketcan_bus.cpp
  LINKS kerb::drivers_socketcan)
