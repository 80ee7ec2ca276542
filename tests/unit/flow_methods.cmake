# What all methods of dense flow promise; what is a method's own is in flow_lk and flow_bm.
kerb_add_test(NAME unit_flow_methods LABELS unit THREADED
  SOURCES gpu/test_flow_methods.cpp
  LINKS kerb::gpu_flow COUNTS_ALLOCATIONS)
