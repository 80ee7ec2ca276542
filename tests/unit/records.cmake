# Records of warnings: written, cut, damaged, and gone through again.
set(dir ${CMAKE_CURRENT_LIST_DIR}/firmware/replay)
kerb_add_test(NAME unit_records_recorder SOURCES ${dir}/test_recorder.cpp
  LINKS kerb::firmware_replay kerb::firmware_warning LABELS unit THREADED)
