kerb_add_test(NAME unit_gpu_nodes LABELS unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/drivers/gpu_nodes/test_gpu_nodes.cpp
  LINKS kerb::drivers_gpu_nodes)
