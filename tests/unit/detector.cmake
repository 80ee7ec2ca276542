# The product's detector: engine and fusion together. Counts allocations.
kerb_add_test(NAME unit_hog_detector LABELS unit
  SOURCES gpu/test_detector.cpp ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_hog)
