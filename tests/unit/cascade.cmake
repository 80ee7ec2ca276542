# The cascade engine against its definition, written down plainly.
kerb_add_test(NAME unit_hog_cascade LABELS unit THREADED
  SOURCES gpu/test_cascade.cpp gpu/cascade_oracle.cpp
  LINKS kerb::gpu_hog COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_hog_lanes SOURCES gpu/test_lanes.cpp LINKS kerb::gpu_hog LABELS unit)
