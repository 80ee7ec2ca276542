kerb_add_test(NAME unit_flow_motion SOURCES gpu/test_motion_points.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_flow LABELS unit)
