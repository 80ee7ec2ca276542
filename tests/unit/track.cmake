kerb_add_test(NAME unit_track_camera_model SOURCES firmware/track/test_camera_model.cpp
  LINKS kerb::firmware_track kerb::firmware_config LABELS unit)
if(KERB_OPENCV)  # the judge of lenses
  find_library(KERB_OPENCV_calib3d opencv_calib3d)
  if(KERB_OPENCV_calib3d)
    kerb_test_uses(unit_track_camera_model LINKS ${KERB_OPENCV_calib3d} kerb::opencv)
    kerb_test_uses(unit_track_camera_model DEFINES KERB_OPENCV_CALIB3D=1)
  endif()
endif()
kerb_add_test(NAME unit_track_assignment SOURCES firmware/track/test_assignment.cpp
  LINKS kerb::firmware_track LABELS unit)
foreach(name ground_filter person_filter)
  kerb_add_test(NAME unit_track_${name} SOURCES firmware/track/test_${name}.cpp
    LINKS kerb::firmware_track kerb::eigen kerb::exact_arithmetic LABELS unit OPTIMISED)
endforeach()
kerb_add_test(NAME unit_track_box_flow SOURCES firmware/track/test_box_flow.cpp
  LINKS kerb::firmware_track LABELS unit)
kerb_add_test(NAME unit_track_image_filter SOURCES firmware/track/test_image_filter.cpp
  LINKS kerb::firmware_track kerb::eigen LABELS unit)
kerb_add_test(NAME unit_track_existence SOURCES firmware/track/test_existence.cpp
  LINKS kerb::firmware_track LABELS unit)
kerb_add_test(NAME unit_track_colour_appearance
  SOURCES firmware/track/test_colour_appearance.cpp
  LINKS kerb::firmware_track LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_track_tracker SOURCES firmware/track/test_tracker.cpp
  LINKS kerb::firmware_track LABELS unit)
kerb_add_test(NAME unit_track_sense SOURCES firmware/track/test_sense.cpp
  LINKS kerb::firmware_track LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_track_endurance SOURCES firmware/track/test_endurance.cpp
  LINKS kerb::firmware_track kerb::exact_arithmetic LABELS unit OPTIMISED COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_track_likeness SOURCES firmware/track/test_likeness.cpp
  LINKS kerb::firmware_track kerb::eigen kerb::exact_arithmetic LABELS unit OPTIMISED)
foreach(name ground_filter person_filter tracker sense endurance likeness)  # they walk many people through many frames
  kerb_test_uses(unit_track_${name} OPTIONS $<$<CONFIG:Debug>:-O1>)
endforeach()
kerb_add_test(NAME unit_track_upright_view SOURCES firmware/track/test_upright_view.cpp
  LINKS kerb::firmware_track LABELS unit)
