kerb_add_test(NAME gpu_flow_bm LABELS gpu
  SOURCES test_flow_bm.cpp
  LINKS kerb::gpu_flow)
