kerb_add_test(NAME unit_flow_bm LABELS unit THREADED
  SOURCES gpu/test_flow_bm.cpp gpu/flow_bm_oracle.cpp
  LINKS kerb::gpu_flow)
if(KERB_OPENCV)
  kerb_add_test(NAME truth_flow_bm LABELS unit
    SOURCES gpu/test_flow_bm_truth.cpp
    LINKS kerb::gpu_flow kerb::opencv)
  kerb_test_uses(truth_flow_bm DEFINES
    KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
