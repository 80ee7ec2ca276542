kerb_add_test(NAME gpu_image LABELS gpu
  SOURCES test_image.cpp
  LINKS kerb::gpu_image)
