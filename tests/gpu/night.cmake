kerb_add_test(NAME gpu_night LABELS gpu
  SOURCES test_night.cpp
  LINKS kerb::gpu_night)
