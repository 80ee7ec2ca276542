if(TARGET kerb_drivers_replay)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/drivers/replay)
  kerb_add_test(NAME unit_replay_playback SOURCES ${dir}/test_playback.cpp
    LINKS kerb::drivers_replay LABELS unit)
  kerb_add_test(NAME unit_replay_pattern
    SOURCES ${dir}/test_pattern.cpp ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
    LINKS kerb::drivers_replay LABELS unit)
  kerb_add_test(NAME unit_replay_recordings SOURCES ${dir}/test_recordings.cpp
    LINKS kerb::drivers_replay LABELS unit)
  if(KERB_OPENCV)
    target_link_libraries(unit_replay_recordings PRIVATE kerb::opencv)
    target_compile_definitions(unit_replay_recordings PRIVATE KERB_OPENCV=1)
  endif()
endif()
