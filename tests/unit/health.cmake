kerb_add_test(NAME unit_health SOURCES firmware/health/test_health_monitor.cpp
  LINKS kerb::firmware_health LABELS unit)
