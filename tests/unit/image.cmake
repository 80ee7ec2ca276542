kerb_add_test(NAME unit_gpu_image LABELS unit
  SOURCES gpu/test_image.cpp gpu/test_preparer.cpp gpu/oracle.cpp
  LINKS kerb::gpu_image COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_gpu_count_range LABELS unit
  SOURCES gpu/test_count_range.cpp
  LINKS kerb::gpu_image COUNTS_ALLOCATIONS)
