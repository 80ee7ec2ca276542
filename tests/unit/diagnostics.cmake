set(dir ${CMAKE_CURRENT_LIST_DIR}/firmware/diagnostics)
kerb_add_test(NAME unit_diagnostics_dtc SOURCES ${dir}/test_dtc.cpp LINKS kerb::firmware_diagnostics LABELS unit)
kerb_test_uses(unit_diagnostics_dtc DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
kerb_add_test(NAME unit_diagnostics_calibration SOURCES ${dir}/test_calibration.cpp
  LINKS kerb::firmware_diagnostics LABELS unit)
kerb_add_test(NAME unit_diagnostics_memory SOURCES ${dir}/test_dtc_memory.cpp
  LINKS kerb::firmware_diagnostics LABELS unit)
kerb_add_test(NAME unit_diagnostics_store SOURCES ${dir}/test_dtc_store.cpp
  LINKS kerb::firmware_diagnostics LABELS unit THREADED)
kerb_add_test(NAME unit_diagnostics_life SOURCES ${dir}/test_life.cpp
  LINKS kerb::firmware_diagnostics LABELS unit THREADED)
kerb_add_test(NAME unit_diagnostics_uds SOURCES ${dir}/test_uds_server.cpp LINKS kerb::firmware_control LABELS unit)
kerb_add_test(NAME unit_diagnostics_round SOURCES ${dir}/test_diagnostics.cpp
  LINKS kerb::firmware_control LABELS unit COUNTS_ALLOCATIONS)

# The same services before a client that others wrote: udsoncan, with its own reading of ISO 14229. Skipped without it.
kerb_tests_want(wanted "unit;product")
if(wanted)
  add_executable(uds_stand_in ${dir}/uds_stand_in.cpp)
  target_compile_features(uds_stand_in PRIVATE cxx_std_20)
  target_link_libraries(uds_stand_in PRIVATE kerb::firmware_control kerb::warnings kerb::sanitizers)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  add_test(NAME unit_diagnostics_udsoncan COMMAND ${Python3_EXECUTABLE} ${dir}/check_with_udsoncan.py
    ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:uds_stand_in>)
  add_dependencies(tests uds_stand_in)
  set_tests_properties(unit_diagnostics_udsoncan PROPERTIES LABELS "unit;product" SKIP_RETURN_CODE 77
    TIMEOUT ${KERB_TEST_TIMEOUT_S})
endif()
