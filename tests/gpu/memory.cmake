kerb_add_test(NAME gpu_memory LABELS gpu
  SOURCES test_memory.cpp
  LINKS kerb::gpu_memory)
