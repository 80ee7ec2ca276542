# The simulator's pictures. A program of its own: the others do not link the simulator.
kerb_add_test(NAME gpu_draw LABELS gpu ALONE
  SOURCES test_draw.cpp
  LINKS kerb::sim_render kerb::gpu_memory)
