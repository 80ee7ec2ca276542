kerb_add_test(NAME unit_gpu_memory LABELS unit THREADED
  SOURCES gpu/test_memory.cpp
  LINKS kerb::gpu_memory)
kerb_add_test(NAME unit_gpu_workers LABELS unit THREADED
  SOURCES gpu/test_workers.cpp
  LINKS kerb::gpu_memory Threads::Threads COUNTS_ALLOCATIONS)
