# The trainers: their parts, and whole trainings on pictures made by code. liblinear, where it is
# installed, judges the solvers.
find_path(KERB_LIBLINEAR_INCLUDE linear.h)
find_library(KERB_LIBLINEAR_LIBRARY linear)
kerb_add_test(NAME unit_train_parts SOURCES tools/test_train_parts.cpp
  LINKS kerb::tools_train kerb::tools_bench LABELS unit THREADED)
if(KERB_LIBLINEAR_INCLUDE AND KERB_LIBLINEAR_LIBRARY)
  target_compile_definitions(unit_train_parts PRIVATE KERB_LIBLINEAR)
  target_include_directories(unit_train_parts SYSTEM PRIVATE ${KERB_LIBLINEAR_INCLUDE})
  target_link_libraries(unit_train_parts PRIVATE ${KERB_LIBLINEAR_LIBRARY})
endif()
kerb_add_test(NAME unit_train SOURCES tools/test_train.cpp
  LINKS kerb::tools_train LABELS unit THREADED)
