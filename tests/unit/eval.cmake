# How detectors are judged: the library, and the command as a person meets it.
if(TARGET kerb::tools_eval)
  kerb_add_test(NAME unit_tools_eval SOURCES tools/test_eval.cpp
    LINKS kerb::tools_eval LABELS unit)
  kerb_add_test(NAME unit_tools_track_scores SOURCES tools/test_track_scores.cpp
    LINKS kerb::tools_eval kerb::tools_track LABELS unit)
  kerb_add_test(NAME unit_tools_eval_intervals SOURCES tools/test_eval_intervals.cpp
    LINKS kerb::tools_eval LABELS unit)
  kerb_add_test(NAME unit_tools_eval_labels SOURCES tools/test_eval_labels.cpp
    LINKS kerb::tools_eval kerb::json LABELS unit)
  kerb_add_test(NAME unit_tools_eval_placement SOURCES tools/test_eval_placement.cpp
    LINKS kerb::tools_eval LABELS unit)
  kerb_add_test(NAME unit_tools_eval_worst SOURCES tools/test_eval_worst.cpp
    LINKS kerb::tools_eval LABELS unit)
  kerb_add_test(NAME unit_tools_eval_sets SOURCES tools/test_eval_sets.cpp
    LINKS kerb::tools_eval LABELS unit)
  kerb_test_uses(unit_tools_eval_sets DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  kerb_add_test(NAME unit_tools_eval_readers SOURCES tools/test_eval_readers.cpp
    LINKS kerb::tools_eval LABELS unit)
endif()
if(TARGET kerb::lab_flow)
  kerb_add_test(NAME unit_tools_flow_files SOURCES tools/test_flow_files.cpp
    LINKS kerb::tools_flow kerb::gpu_flow kerb::opencv_video LABELS unit)
endif()
if(TARGET kerb::lab_pictures)
  kerb_add_test(NAME unit_tools_kerblab_eval SOURCES tools/test_kerblab_eval.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_add_test(NAME unit_tools_kerblab_flow SOURCES tools/test_kerblab_flow.cpp
    LINKS kerb::tools_bench kerb::tools_flow kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_add_test(NAME unit_tools_kerblab_ego SOURCES tools/test_kerblab_ego.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_add_test(NAME unit_tools_kerblab_night SOURCES tools/test_kerblab_night.cpp
    LINKS kerb::tools_bench kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_add_test(NAME unit_tools_road_speed SOURCES tools/test_road_speed.cpp
    LINKS kerb::tools_kerblab kerb::lab_track kerb::firmware_ego LABELS unit)
  kerb_add_test(NAME unit_tools_kerblab_track SOURCES tools/test_kerblab_track.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  # On recordings, where they are: kerblab ego and what it says of walkers and parked cars.
  kerb_add_test(NAME truth_ego SOURCES tools/test_ego_truth.cpp
    LINKS kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_test_uses(truth_ego DEFINES KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
