kerb_add_test(NAME gpu_net LABELS gpu
  SOURCES test_second_look.cpp
  LINKS kerb::gpu_net)
