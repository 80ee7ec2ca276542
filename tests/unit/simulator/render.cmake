# OpenCV's projectPoints judges the lens, where it is.
kerb_add_test(NAME unit_sim_raster SOURCES simulator/test_raster.cpp
  LINKS kerb::sim_render LABELS unit)
if(TARGET kerb::opencv)
  find_path(KERB_OPENCV_calib3d_INCLUDE opencv2/calib3d.hpp PATH_SUFFIXES opencv4)
  find_library(KERB_OPENCV_calib3d opencv_calib3d)
  if(KERB_OPENCV_calib3d AND KERB_OPENCV_calib3d_INCLUDE)
    kerb_test_uses(unit_sim_raster DEFINES KERB_TEST_CALIB3D=1)
    kerb_test_uses(unit_sim_raster LINKS ${KERB_OPENCV_calib3d} kerb::opencv)
  endif()
endif()
kerb_add_test(NAME unit_sim_pixels SOURCES simulator/test_pixels.cpp
  LINKS kerb::sim_render LABELS unit)
kerb_add_test(NAME unit_sim_render SOURCES simulator/test_render.cpp
  LINKS kerb::sim_render LABELS unit)
kerb_add_test(NAME unit_sim_things SOURCES simulator/test_things.cpp
  LINKS kerb::sim_render LABELS unit)
kerb_add_test(NAME unit_sim_weather SOURCES simulator/test_weather.cpp
  LINKS kerb::sim_render LABELS unit)
kerb_add_test(NAME unit_sim_mirror SOURCES simulator/test_mirror.cpp
  LINKS kerb::sim_judge kerb::sim_render kerb::sim_scenario LABELS unit)
kerb_add_test(NAME unit_sim_surroundings SOURCES simulator/test_surroundings.cpp
  LINKS kerb::sim_render kerb::sim_scenario LABELS unit)
