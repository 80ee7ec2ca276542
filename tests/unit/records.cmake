# Records of warnings: written, cut, damaged, and gone through again.
set(dir ${CMAKE_CURRENT_LIST_DIR}/firmware/records)
set(links kerb::firmware_records kerb::firmware_warning)
kerb_add_test(NAME unit_records_recorder SOURCES ${dir}/test_recorder.cpp
  LINKS ${links} LABELS unit THREADED)
kerb_add_test(NAME unit_records_file SOURCES ${dir}/test_record_file.cpp
  LINKS ${links} LABELS unit)
kerb_add_test(NAME unit_records_lanes
  SOURCES ${dir}/test_lanes.cpp
  LINKS ${links} LABELS unit THREADED COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_jpeg_encoder SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/jpeg/test_jpeg_encoder.cpp
  LINKS kerb::drivers_jpeg PkgConfig::TURBOJPEG LABELS unit)
# A record made on x86-64, gone through again on whatever machine this is.
kerb_add_test(NAME unit_replay_fixture SOURCES ${dir}/test_fixture.cpp LINKS ${links} LABELS unit OPTIMISED)
kerb_test_uses(unit_replay_fixture DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
kerb_add_test(NAME unit_records_versions SOURCES ${dir}/test_versions.cpp LINKS ${links} LABELS unit OPTIMISED)
kerb_test_uses(unit_records_versions DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
kerb_add_test(NAME unit_replay_command SOURCES ${dir}/test_command.cpp
  LINKS ${links} kerb::json LABELS unit RUNS kerbwatch)
kerb_test_uses(unit_replay_command DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
