# Reads every #include of the project and fails on one that goes against the arrows of the design: between the folders
# at the top, between those inside firmware/, tools/ and the simulator, and where no link line stands for it.
kerb_add_test(NAME unit_includes
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/includes/include_rules.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/includes/test_includes.cpp
  LINKS kerb::hal LABELS unit)
kerb_test_uses(unit_includes DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

include(KerbTargets)
cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL
  kerb_write_targets ${PROJECT_BINARY_DIR}/targets.txt)
kerb_add_test(NAME unit_folders
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/includes/folder_graph.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/includes/include_rules.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/includes/link_lines.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/includes/test_folders.cpp
  LINKS kerb::hal LABELS unit)
kerb_test_uses(unit_folders DEFINES
  KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KERB_TARGETS_FILE="${PROJECT_BINARY_DIR}/targets.txt")

# One name, one definition: the tests of a folder are one program, and of two types with one name the linker takes one.
kerb_add_test(NAME unit_definitions
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/includes/definitions.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/includes/include_rules.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/includes/test_definitions.cpp
  LINKS kerb::hal LABELS unit)
kerb_test_uses(unit_definitions DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
