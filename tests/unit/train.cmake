# The trainers: their parts, and whole trainings on pictures made by code. liblinear, where it is
# installed, judges the solvers.
find_path(KERB_LIBLINEAR_INCLUDE linear.h)
find_library(KERB_LIBLINEAR_LIBRARY linear)
foreach(part pictures windows checkpoints solvers)
  kerb_add_test(NAME unit_train_${part} SOURCES tools/test_train_${part}.cpp
    LINKS kerb::tools_train LABELS unit THREADED)
endforeach()
if(KERB_LIBLINEAR_INCLUDE AND KERB_LIBLINEAR_LIBRARY)
  kerb_test_uses(unit_train_solvers DEFINES KERB_LIBLINEAR)
  kerb_test_uses(unit_train_solvers INCLUDES ${KERB_LIBLINEAR_INCLUDE})
  kerb_test_uses(unit_train_solvers LINKS ${KERB_LIBLINEAR_LIBRARY})
endif()
kerb_add_test(NAME unit_train_channels SOURCES tools/test_train_channels.cpp
  LINKS kerb::tools_train LABELS unit THREADED)
kerb_add_test(NAME unit_train_join SOURCES tools/test_train_join.cpp
  LINKS kerb::tools_bench kerb::tools_train LABELS unit)
kerb_test_uses(unit_train_join DEFINES KERB_SOURCE_MODELS="${PROJECT_SOURCE_DIR}/models")
kerb_add_test(NAME unit_train SOURCES tools/test_train.cpp
  LINKS kerb::tools_train LABELS unit THREADED)
if(TARGET kerb::lab_pictures)
  kerb_add_test(NAME unit_kerblab_crops SOURCES tools/test_kerblab_crops.cpp
    LINKS kerb::tools_bench kerb::opencv LABELS unit RUNS kerblab)
  kerb_add_test(NAME unit_kerblab_train SOURCES tools/test_kerblab_train.cpp
    LINKS kerb::tools_train kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_test_uses(unit_kerblab_train DEFINES KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
