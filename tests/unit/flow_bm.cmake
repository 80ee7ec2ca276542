kerb_add_test(NAME unit_flow_bm LABELS unit THREADED
  SOURCES gpu/test_flow_bm.cpp gpu/flow_bm_oracle.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_flow)
