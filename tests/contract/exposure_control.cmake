# ExposureControl: the fake, and V4L2 over a kernel that is played (and over a camera, where one is named).
set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME contract_exposure_control_fake LABELS contract
  SOURCES ${dir}/exposure_control_suite.cpp ${dir}/exposure_control_fake.cpp
  LINKS kerb::hal)
if(TARGET kerb_test_v4l2_kernel)
  kerb_add_test(NAME contract_exposure_control_v4l2 LABELS contract
    SOURCES ${dir}/exposure_control_suite.cpp ${dir}/exposure_control_v4l2.cpp
    LINKS kerb_test_v4l2_kernel)
endif()
