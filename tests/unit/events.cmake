kerb_add_test(NAME unit_event_line SOURCES firmware/events/test_event_line.cpp
  LINKS kerb::firmware_events kerb::json LABELS unit)
kerb_test_uses(unit_event_line DEFINES KERB_EVENTS_SCHEMA="${PROJECT_SOURCE_DIR}/docs/events.schema.json")
kerb_add_test(NAME unit_event_storage_test SOURCES firmware/events/test_storage_test.cpp
  LINKS kerb::firmware_events LABELS unit THREADED)
kerb_add_test(NAME unit_rotating_file SOURCES firmware/events/test_rotating_file.cpp
  LINKS kerb::firmware_events kerb::json LABELS unit)
kerb_add_test(NAME unit_event_log SOURCES firmware/events/test_event_log.cpp
  LINKS kerb::firmware_events kerb::json LABELS unit THREADED)
kerb_add_test(NAME unit_event_log_sync SOURCES firmware/events/test_event_log_sync.cpp
  LINKS kerb::firmware_events LABELS unit THREADED ALONE)  # it has an fdatasync of its own
kerb_add_test(NAME unit_event_log_allocations SOURCES firmware/events/test_event_log_allocations.cpp
  LINKS kerb::firmware_events LABELS unit THREADED COUNTS_ALLOCATIONS)

# The same lines, before a judge of its own: python3-jsonschema, from the project's environment when it has one.
kerb_tests_want(wanted unit)
if(wanted AND NOT CMAKE_CROSSCOMPILING)
  add_executable(event_samples firmware/events/event_samples_main.cpp)
  target_compile_features(event_samples PRIVATE cxx_std_20)
  target_link_libraries(event_samples PRIVATE kerb::firmware_events kerb::warnings kerb::sanitizers)
  add_dependencies(tests event_samples)
  add_test(NAME unit_event_schema
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/firmware/events/check_schema.sh
      ${PROJECT_SOURCE_DIR}/.deps/venv/bin/python3 ${PROJECT_SOURCE_DIR}/docs/events.schema.json
      $<TARGET_FILE:event_samples>)
  set_tests_properties(unit_event_schema PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${KERB_TEST_TIMEOUT_S})
endif()
