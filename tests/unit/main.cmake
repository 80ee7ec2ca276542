# The program as a person meets it: its command line, its exit codes, its one-line errors.
kerb_add_test(NAME unit_main_command_line SOURCES firmware/main/test_command_line.cpp
  LINKS kerb::gpu_hog kerb::drivers_lock LABELS unit OPTIMISED RUNS kerbwatch)
kerb_test_uses(unit_main_command_line DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
if(KERB_OPENCV)
  kerb_test_uses(unit_main_command_line LINKS kerb::opencv)
  kerb_test_uses(unit_main_command_line DEFINES KERB_OPENCV=1)
endif()
kerb_add_test(NAME unit_main_program_models SOURCES firmware/main/test_program_models.cpp
  LINKS kerb::gpu_hog LABELS unit OPTIMISED RUNS kerbwatch)
kerb_add_test(NAME unit_main_full_pipe SOURCES firmware/main/test_full_pipe.cpp
  LINKS kerb::hal LABELS unit OPTIMISED RUNS kerbwatch)
# What `cmake --install` leaves, moved to another place, finds its models. It installs kerblab too, which CI builds for
# its part host alone.
kerb_tests_want(wanted "unit;kerblab;optimised")
if(wanted AND TARGET kerblab AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME unit_main_install COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DWORK=${PROJECT_BINARY_DIR}/install-test -P ${CMAKE_CURRENT_SOURCE_DIR}/firmware/main/check_install.cmake)
  set_tests_properties(unit_main_install PROPERTIES LABELS "unit;kerblab;optimised" TIMEOUT ${KERB_TEST_TIMEOUT_S})
  add_dependencies(tests kerbwatch kerblab)
endif()
# Canaries, checked calls, read-only tables, no run path that leads to wherever somebody stands: in what people install.
kerb_tests_want(wanted "unit;optimised;product")
if(wanted AND NOT KERB_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  set(installed kerbwatch)
  if(TARGET kerblab AND NOT CMAKE_CROSSCOMPILING)
    list(APPEND installed kerblab)
  endif()
  add_dependencies(tests ${installed})
  list(TRANSFORM installed REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  add_test(NAME unit_main_hardening
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/firmware/main/check_hardening.py ${installed})
  set_tests_properties(unit_main_hardening PROPERTIES LABELS "unit;optimised;product" TIMEOUT ${KERB_TEST_TIMEOUT_S})
endif()
kerb_add_test(NAME unit_main_upright_detector
  SOURCES firmware/vision/test_upright_detector.cpp
  LINKS kerb::firmware_vision kerb::firmware_track kerb::gpu_hog kerb::gpu_image LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_main_known_person SOURCES firmware/vision/test_known_person.cpp
  LINKS kerb::firmware_vision kerb::gpu_hog LABELS unit OPTIMISED)
kerb_test_uses(unit_main_known_person DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
kerb_add_test(NAME unit_main_exposure_mode SOURCES firmware/vision/test_exposure_mode.cpp
  LINKS kerb::firmware_vision LABELS unit THREADED)
kerb_add_test(NAME unit_main_night_detector
  SOURCES firmware/vision/test_night_detector.cpp
  LINKS kerb::firmware_vision kerb::gpu_night LABELS unit COUNTS_ALLOCATIONS)
if(KERB_FAULT_POINTS)
  kerb_add_test(NAME unit_main_fault_points SOURCES firmware/main/test_fault_points.cpp
    LINKS kerb::json LABELS unit OPTIMISED RUNS kerbwatch)
endif()
