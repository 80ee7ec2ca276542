if(TARGET kerb_drivers_replay)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/drivers/replay)
  kerb_add_test(NAME unit_replay_playback SOURCES ${dir}/test_playback.cpp
    LINKS kerb::drivers_replay LABELS unit)
  kerb_add_test(NAME unit_replay_pattern
    SOURCES ${dir}/test_pattern.cpp
    LINKS kerb::drivers_replay LABELS unit COUNTS_ALLOCATIONS)
  kerb_add_test(NAME unit_replay_recordings SOURCES ${dir}/test_recordings.cpp
    LINKS kerb::drivers_replay LABELS unit)
  if(KERB_OPENCV)
    kerb_test_uses(unit_replay_recordings LINKS kerb::opencv)
    kerb_test_uses(unit_replay_recordings DEFINES KERB_OPENCV=1)
    kerb_add_test(NAME unit_replay_thermal SOURCES ${dir}/test_thermal_pictures.cpp
      LINKS kerb::drivers_replay kerb::gpu_image kerb::opencv LABELS unit)
    kerb_test_uses(unit_replay_thermal DEFINES KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
  endif()
endif()
