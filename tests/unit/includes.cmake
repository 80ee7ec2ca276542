# Reads every #include of the project and fails on one that goes against the arrows of the design.
kerb_add_test(NAME unit_includes
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/includes/include_rules.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/includes/test_includes.cpp
  LINKS kerb::hal LABELS unit)
kerb_test_uses(unit_includes DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
