set(dir ${CMAKE_CURRENT_LIST_DIR}/firmware/can)
kerb_add_test(NAME unit_can_codec SOURCES ${dir}/test_codec.cpp LINKS kerb::firmware_can LABELS unit COUNTS_ALLOCATIONS)
foreach(name alive_counter lateness vehicle_signals publisher)
  kerb_add_test(NAME unit_can_${name} SOURCES ${dir}/test_${name}.cpp LINKS kerb::firmware_can LABELS unit)
endforeach()
kerb_add_test(NAME unit_can_vehicle_layout SOURCES ${dir}/test_vehicle_layout.cpp
  LINKS kerb::firmware_can kerb::firmware_config LABELS unit)
kerb_test_uses(unit_can_vehicle_layout DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# The .dbc and the codec, each against an independent reading of the other (cantools). Skipped without cantools.
kerb_tests_want(wanted "unit;product")
if(wanted)
  add_executable(can_vectors ${dir}/can_vectors.cpp)
  target_compile_features(can_vectors PRIVATE cxx_std_20)
  target_link_libraries(can_vectors PRIVATE kerb::firmware_can kerb::firmware_config kerb::firmware_warning kerb::json
                                            kerb::warnings kerb::sanitizers)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  add_test(NAME unit_can_dbc COMMAND ${Python3_EXECUTABLE} ${dir}/check_with_cantools.py
    ${PROJECT_SOURCE_DIR}/firmware/can/kerbwatch.dbc ${dir}/own_vehicle.toml,${dir}/other_vehicle.toml
    ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:can_vectors>)
  add_dependencies(tests can_vectors)
  set_tests_properties(unit_can_dbc PROPERTIES LABELS "unit;product" SKIP_RETURN_CODE 77 TIMEOUT ${KERB_TEST_TIMEOUT_S})
endif()
