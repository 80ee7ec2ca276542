# The program as a person meets it: its command line, its exit codes, its one-line errors.
kerb_add_test(NAME unit_main_command_line SOURCES firmware/main/test_command_line.cpp
  LINKS kerb::gpu_hog LABELS unit OPTIMISED RUNS kerbwatch)
if(KERB_OPENCV)
  target_link_libraries(unit_main_command_line PRIVATE kerb::opencv)
  target_compile_definitions(unit_main_command_line PRIVATE KERB_OPENCV=1)
endif()
# What `cmake --install` leaves, moved to another place, finds its models. It installs kerblab too, which CI builds for
# its part host alone.
if(TARGET kerblab AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME unit_main_install COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DWORK=${PROJECT_BINARY_DIR}/install-test -P ${CMAKE_CURRENT_SOURCE_DIR}/firmware/main/check_install.cmake)
  set_tests_properties(unit_main_install PROPERTIES LABELS "unit;kerblab;optimised" TIMEOUT 120)
  add_dependencies(optimised_tests kerbwatch kerblab)
endif()
kerb_add_test(NAME unit_main_upright_detector
  SOURCES firmware/vision/test_upright_detector.cpp ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::firmware_vision kerb::firmware_track kerb::gpu_hog kerb::gpu_image LABELS unit)
