kerb_add_test(NAME unit_warning SOURCES firmware/warning/test_alert_outputs.cpp
  LINKS kerb::firmware_warning LABELS unit)
