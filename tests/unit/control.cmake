if(TARGET kerb_firmware_control)
kerb_add_test(NAME unit_control_judge SOURCES firmware/control/test_camera_judge.cpp
  LINKS kerb::firmware_control LABELS unit)
kerb_add_test(NAME unit_control_service SOURCES firmware/control/test_service_test.cpp
  LINKS kerb::firmware_control LABELS unit)
endif()
