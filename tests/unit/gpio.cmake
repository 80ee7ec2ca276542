kerb_add_test(NAME unit_gpio LABELS unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/gpio/test_linux_output_line.cpp
  LINKS kerb::drivers_gpio)
