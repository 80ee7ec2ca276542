kerb_add_test(NAME unit_flow_motion SOURCES gpu/test_motion_points.cpp
  LINKS kerb::gpu_flow LABELS unit COUNTS_ALLOCATIONS)
