set(dir ${CMAKE_CURRENT_LIST_DIR})
foreach(name scenario suites)
  kerb_add_test(NAME unit_sim_${name} SOURCES ${dir}/test_${name}.cpp LINKS kerb::sim_scenario LABELS unit)
endforeach()
target_compile_definitions(unit_sim_scenario PRIVATE KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_compile_definitions(unit_sim_suites PRIVATE KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
if(TARGET kerblab)
  kerb_add_test(NAME unit_sim_kerblab SOURCES ${dir}/../tools/test_kerblab_sim.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit)
  target_compile_definitions(unit_sim_kerblab PRIVATE
    KERBLAB="${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:kerblab>")
  add_dependencies(unit_sim_kerblab kerblab)
  set_tests_properties(unit_sim_kerblab PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
