kerb_add_test(NAME unit_pipeline_parts SOURCES firmware/pipeline/test_parts.cpp
  LINKS kerb::firmware_pipeline LABELS unit)
kerb_add_test(NAME unit_pipeline_reopening SOURCES firmware/pipeline/test_reopening_source.cpp
  LINKS kerb::firmware_pipeline LABELS unit)
kerb_add_test(NAME unit_pipeline_threads SOURCES firmware/pipeline/test_camera_pipeline.cpp firmware/control/road.cpp
  LINKS kerb::firmware_pipeline LABELS unit THREADED)
kerb_add_test(NAME unit_pipeline_bands SOURCES firmware/pipeline/test_bands.cpp firmware/control/road.cpp
  LINKS kerb::firmware_pipeline LABELS unit THREADED)
kerb_add_test(NAME unit_pipeline_aim SOURCES firmware/pipeline/test_aim_check.cpp
  LINKS kerb::firmware_pipeline LABELS unit)
kerb_add_test(NAME unit_pipeline_exposure SOURCES firmware/pipeline/test_exposure_loop.cpp
  LINKS kerb::firmware_pipeline LABELS unit)
