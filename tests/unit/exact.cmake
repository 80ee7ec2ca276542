kerb_add_test(NAME unit_exact_math SOURCES firmware/exact/test_exact_math.cpp
  LINKS kerb::firmware_exact kerb::exact_arithmetic LABELS unit OPTIMISED)
