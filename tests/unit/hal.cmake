foreach(name base clock exposure_control fault_plan frames rules)
  kerb_add_test(NAME unit_hal_${name} SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/hal/test_${name}.cpp
    LINKS kerb::hal LABELS unit)
endforeach()
# A program with threads ends at its first failure, and says which.
kerb_add_test(NAME unit_support_end_at_failure SOURCES support/test_end_at_failure.cpp
  LINKS kerb::hal LABELS unit THREADED)
if(TEST unit_support_end_at_failure)
  set_tests_properties(unit_support_end_at_failure PROPERTIES
    PASS_REGULAR_EXPRESSION "fails_while_a_thread_runs:FAIL: as it should.*it ends here.*FAIL"
    FAIL_REGULAR_EXPRESSION "test_is_not_reached;Sanitizer")
endif()
