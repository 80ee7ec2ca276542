set(drive firmware/control/drive.cpp firmware/control/listener.cpp firmware/control/road.cpp)  # the product on a road
kerb_add_test(NAME unit_control_judge SOURCES firmware/control/test_camera_judge.cpp
  LINKS kerb::firmware_control LABELS unit)
kerb_add_test(NAME unit_control_background SOURCES firmware/control/test_background_dimmer.cpp
  firmware/control/test_background_thermal.cpp
  LINKS kerb::firmware_control LABELS unit THREADED)
kerb_add_test(NAME unit_control_lost_vision SOURCES firmware/control/test_lost_vision.cpp ${drive}
  LINKS kerb::firmware_control LABELS unit THREADED)
kerb_add_test(NAME unit_control_self_test SOURCES firmware/control/test_self_test.cpp
  LINKS kerb::firmware_control LABELS unit)
kerb_add_test(NAME unit_control_service SOURCES firmware/control/test_service_test.cpp
  LINKS kerb::firmware_control LABELS unit)
kerb_add_test(NAME unit_control_limits
  SOURCES firmware/control/test_report_limit.cpp firmware/control/test_send_tally.cpp
  LINKS kerb::firmware_control LABELS unit)
kerb_add_test(NAME unit_control_floods SOURCES firmware/control/test_bus_floods.cpp ${drive}
  LINKS kerb::firmware_control kerb::json LABELS unit THREADED)
kerb_add_test(NAME unit_control_sending SOURCES firmware/control/test_sending.cpp ${drive}
  LINKS kerb::firmware_control kerb::json LABELS unit THREADED)
kerb_add_test(NAME unit_control_other_vehicle SOURCES firmware/control/test_other_vehicle.cpp ${drive}
  LINKS kerb::firmware_control LABELS unit THREADED)
kerb_test_uses(unit_control_other_vehicle DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
kerb_add_test(NAME unit_control_controller SOURCES firmware/control/test_controller.cpp ${drive}
  LINKS kerb::firmware_control LABELS unit THREADED)
kerb_add_test(NAME unit_control_warner
  SOURCES firmware/control/test_warner.cpp
  LINKS kerb::firmware_control LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_control_object_list
  SOURCES firmware/control/test_object_list.cpp
  LINKS kerb::firmware_control LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_control_start SOURCES firmware/control/test_start.cpp firmware/control/listener.cpp
  LINKS kerb::firmware_control LABELS unit THREADED)
# The whole product in steps of a clock of its own: what the driver is told of people.
kerb_add_test(NAME unit_control_warnings SOURCES firmware/control/test_warnings.cpp ${drive}
  LINKS kerb::firmware_control LABELS unit THREADED)
set(hour 60)  # minutes without anybody
set(busy_hour 20)  # among people, with threads: 60 takes a minute
if(KERB_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(hour 6)
  set(busy_hour 1)
endif()
kerb_add_test(NAME unit_control_odd_days
  SOURCES firmware/control/test_odd_days.cpp ${drive}
  LINKS kerb::firmware_control LABELS unit OPTIMISED COUNTS_ALLOCATIONS ARGS ${hour})
kerb_add_test(NAME unit_control_busy_hour
  SOURCES firmware/control/test_busy_hour.cpp ${drive}
  LINKS kerb::firmware_control LABELS unit THREADED OPTIMISED COUNTS_ALLOCATIONS ARGS ${busy_hour})
kerb_add_test(NAME unit_control_motion SOURCES firmware/control/test_motion_notes.cpp
  LINKS kerb::firmware_control kerb::json LABELS unit THREADED)
kerb_add_test(NAME unit_control_bands SOURCES firmware/control/test_bands_notes.cpp ${drive}
  LINKS kerb::firmware_control kerb::json LABELS unit THREADED)
# Counts every allocation of the whole product while frames flow.
kerb_add_test(NAME unit_control_allocations SOURCES firmware/control/test_allocations.cpp firmware/control/road.cpp
  LINKS kerb::firmware_control kerb::drivers_replay kerb::drivers_jpeg kerb::gpu_flow kerb::gpu_hog LABELS unit OPTIMISED COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_control_signals SOURCES firmware/control/test_signal_check.cpp ${drive}
  LINKS kerb::firmware_control LABELS unit THREADED)
kerb_add_test(NAME unit_control_timeliness SOURCES firmware/control/test_timeliness.cpp
  LINKS kerb::firmware_control LABELS unit)
