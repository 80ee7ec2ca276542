# Lucas-Kanade against its definition, in floats and in order, so it is compiled as gpu/flow is; and
# against the truth, where there are pictures and OpenCV to read them.
kerb_add_test(NAME unit_flow_lk LABELS unit THREADED
  SOURCES gpu/test_flow_lk.cpp gpu/flow_lk_oracle.cpp
  LINKS kerb::gpu_flow)
kerb_test_uses(unit_flow_lk OPTIONS -ffp-contract=off)
if(KERB_OPENCV AND TARGET kerb::opencv_video)
  kerb_add_test(NAME truth_flow_lk LABELS unit
    SOURCES gpu/test_flow_lk_truth.cpp
    LINKS kerb::gpu_flow kerb::opencv_video)
  kerb_test_uses(truth_flow_lk DEFINES
    KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
kerb_add_test(NAME unit_flow_points LABELS unit THREADED
  SOURCES gpu/test_flow_points.cpp
  LINKS kerb::gpu_flow COUNTS_ALLOCATIONS)
kerb_test_uses(unit_flow_points OPTIONS -ffp-contract=off)  # its definition is in the test
