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
kerb_add_test(NAME unit_train_rejection SOURCES tools/test_train_rejection.cpp
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

# tools/net: the scripts that pack crops for a network, against made labels and against the product's own crops. Skipped
# where NumPy or OpenCV for Python is absent; ./kerb setup does not install them.
kerb_tests_want(wanted unit)
if(wanted AND NOT CMAKE_CROSSCOMPILING)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  set(python ${Python3_EXECUTABLE})
  foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3)  # Debian's packages are for Debian's Python
    execute_process(COMMAND ${candidate} -c "import cv2, numpy, tomllib"
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(python ${candidate})
      break()
    endif()
  endforeach()
  set(crop_samples)
  if(TARGET kerb::gpu_net)
    add_executable(crop_samples tools/net/crop_samples.cpp)
    target_compile_features(crop_samples PRIVATE cxx_std_20)
    target_link_libraries(crop_samples PRIVATE kerb::gpu_net kerb::hal kerb::warnings kerb::sanitizers)
    add_dependencies(tests crop_samples)
    set(crop_samples $<TARGET_FILE:crop_samples>)
  endif()
  add_test(NAME tools_net_pack
    COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/tools/net/test_pack.py ${crop_samples})
  set_tests_properties(tools_net_pack PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${KERB_TEST_TIMEOUT_S})

  # Networks that tools/net exports, through tools/import and gpu/net, against their definition. Skipped where NumPy is
  # absent. A Python with PyTorch (-DPython3_EXECUTABLE=...) also compares the trainer's own forward pass.
  set(python ${Python3_EXECUTABLE})
  foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import numpy" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(python ${candidate})
      break()
    endif()
  endforeach()
  set(network_scores)
  if(TARGET kerb::tools_import)
    add_executable(network_scores tools/net/network_scores.cpp)
    target_compile_features(network_scores PRIVATE cxx_std_20)
    target_link_libraries(network_scores PRIVATE kerb::tools_import kerb::gpu_net kerb::hal kerb::warnings kerb::sanitizers)
    add_dependencies(tests network_scores)
    set(network_scores $<TARGET_FILE:network_scores>)
  endif()
  add_test(NAME tools_net_network
    COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/tools/net/test_network.py ${network_scores})
  set_tests_properties(tools_net_network PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${KERB_TEST_TIMEOUT_S})

  # Boosted trees on the crops of a pack. Skipped where the same Python has no PyTorch or no OpenCV.
  add_test(NAME tools_net_boost COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/tools/net/test_boost.py)
  set_tests_properties(tools_net_boost PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${KERB_TEST_TIMEOUT_S})
endif()
