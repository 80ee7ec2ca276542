kerb_add_test(NAME gpu_flow LABELS gpu
  SOURCES test_flow.cpp
  LINKS kerb::gpu_flow)
kerb_add_test(NAME gpu_flow_points LABELS gpu
  SOURCES test_flow_points.cpp
  LINKS kerb::gpu_flow)
kerb_add_test(NAME gpu_flow_motion LABELS gpu
  SOURCES test_flow_motion.cpp
  LINKS kerb::gpu_flow)
