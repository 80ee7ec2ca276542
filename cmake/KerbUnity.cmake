# The presets compile the sources of a library together (CMAKE_UNITY_BUILD): their headers are then read once. Part alone of
# ./kerb test shows that each source includes what it uses. Here stand the sources that use a name for something else than
# their neighbours do.
function(kerb_compiled_alone target)
  if(TARGET ${target})
    get_target_property(folder ${target} SOURCE_DIR)
    foreach(source ${ARGN})
      set_source_files_properties(${folder}/${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endif()
endfunction()
kerb_compiled_alone(kerb_drivers_socketcan can_link.cpp)  # <linux/if.h>, not <net/if.h>
kerb_compiled_alone(kerb_firmware_control camera_judge.cpp)
kerb_compiled_alone(kerb_firmware_pipeline stage_times.cpp)
kerb_compiled_alone(kerb_gpu_hog dense_descriptor.cpp fusion.cpp model.cpp)
kerb_compiled_alone(kerb_sim_judge judge.cpp)
kerb_compiled_alone(kerb_sim_people body.cpp gait.cpp posture.cpp)
kerb_compiled_alone(kerb_sim_report html.cpp read_json.cpp)
kerb_compiled_alone(kerb_tools_eval detections.cpp mot.cpp)
kerb_compiled_alone(kerb_tools_train channels.cpp solver.cpp svm.cpp)

# Libraries of few sources, all of which do.
foreach(target kerb_board_player kerb_drivers_alsa kerb_firmware_events kerb_fuzz_targets)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
endforeach()
