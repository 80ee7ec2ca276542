kerb_add_test(NAME gpu_flow_lk LABELS gpu
  SOURCES test_flow_lk.cpp
  LINKS kerb::gpu_flow)
kerb_add_test(NAME gpu_flow_motion LABELS gpu
  SOURCES test_flow_motion.cpp
  LINKS kerb::gpu_flow)
