kerb_add_test(NAME unit_pwm LABELS unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/pwm/test_linux_pwm.cpp
  LINKS kerb::drivers_pwm)
