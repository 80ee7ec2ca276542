kerb_add_test(NAME unit_flow_bm LABELS unit THREADED
  SOURCES gpu/test_flow_bm.cpp gpu/flow_bm_oracle.cpp
  LINKS kerb::gpu_flow)
if(KERB_OPENCV)
  kerb_add_test(NAME unit_flow_bm_truth LABELS unit
    SOURCES gpu/test_flow_bm_truth.cpp
    LINKS kerb::gpu_flow kerb::opencv)
  target_compile_definitions(unit_flow_bm_truth PRIVATE
    KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
