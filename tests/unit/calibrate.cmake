# Measuring a camera: the library, and the commands as a person meets them.
set(some)
if(KERB_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(some --some)
endif()
if(TARGET kerb::tools_calibrate)
  kerb_add_test(NAME unit_tools_calibrate_board SOURCES tools/test_calibrate_board.cpp
    LINKS kerb::tools_calibrate kerb::firmware_config kerb::opencv LABELS unit)
  kerb_add_test(NAME unit_tools_calibrate_drive SOURCES tools/test_calibrate_drive.cpp
    LINKS kerb::tools_calibrate kerb::firmware_config kerb::opencv LABELS unit OPTIMISED ARGS ${some})
  kerb_add_test(NAME unit_tools_calibrate_pair SOURCES tools/test_calibrate_pair.cpp
    LINKS kerb::tools_calibrate kerb::firmware_config kerb::opencv kerb::opencv_calib3d LABELS unit OPTIMISED
    ARGS ${some})
  kerb_test_uses(unit_tools_calibrate_pair DEFINES KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
  foreach(name board drive pair)  # they trace pictures and fill fields of points
    kerb_test_uses(unit_tools_calibrate_${name} OPTIONS $<$<CONFIG:Debug>:-O1>)
  endforeach()
endif()
if(TARGET kerb::lab_pictures AND TARGET kerb::tools_calibrate)
  kerb_add_test(NAME unit_tools_kerblab_calibrate SOURCES tools/test_kerblab_calibrate.cpp
    LINKS kerb::tools_bench kerb::firmware_config kerb::hal kerb::opencv LABELS unit RUNS kerblab ARGS ${some})
  kerb_add_test(NAME unit_tools_kerblab_calibrate_pair SOURCES tools/test_kerblab_calibrate_pair.cpp
    LINKS kerb::tools_bench kerb::firmware_config kerb::firmware_types kerb::hal kerb::opencv LABELS unit RUNS kerblab)
  foreach(name kerblab_calibrate kerblab_calibrate_pair)
    kerb_test_uses(unit_tools_${name} OPTIONS $<$<CONFIG:Debug>:-O1>)
  endforeach()
endif()
