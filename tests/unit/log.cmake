kerb_add_test(NAME unit_json_text SOURCES firmware/log/test_json_text.cpp
  LINKS kerb::firmware_log kerb::json LABELS unit)
kerb_add_test(NAME unit_log SOURCES firmware/log/test_log.cpp
  LINKS kerb::firmware_log kerb::json Threads::Threads LABELS unit THREADED COUNTS_ALLOCATIONS)
