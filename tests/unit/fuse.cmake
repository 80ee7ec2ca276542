# People of several cameras.
kerb_add_test(NAME unit_fuse_estimate SOURCES firmware/fuse/test_estimate.cpp
  LINKS kerb::firmware_fuse LABELS unit)
kerb_add_test(NAME unit_fuse_people_fuser SOURCES firmware/fuse/test_people_fuser.cpp
  LINKS kerb::firmware_fuse kerb::firmware_control LABELS unit OPTIMISED COUNTS_ALLOCATIONS)
