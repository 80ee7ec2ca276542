kerb_add_test(NAME unit_threads_real_time SOURCES firmware/threads/test_real_time.cpp
  LINKS kerb::firmware_threads LABELS unit THREADED)
