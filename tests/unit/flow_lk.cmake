# The definition is written in floats, in its order: compiled as gpu/flow is.
kerb_add_test(NAME unit_flow_lk LABELS unit THREADED
  SOURCES gpu/test_flow_lk.cpp gpu/flow_lk_oracle.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_flow)
target_compile_options(unit_flow_lk PRIVATE -ffp-contract=off)
