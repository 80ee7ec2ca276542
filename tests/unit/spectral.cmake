kerb_add_test(NAME unit_spectral_watch
  SOURCES firmware/spectral/test_spectral_watch.cpp
  LINKS kerb::firmware_spectral LABELS unit COUNTS_ALLOCATIONS)
