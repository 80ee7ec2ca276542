kerb_add_test(NAME gpu_hog_dense LABELS gpu
  SOURCES test_dense.cpp
  LINKS kerb::gpu_hog)
