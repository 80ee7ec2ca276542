# Some presets compile the sources of a library together (CMAKE_UNITY_BUILD): their headers are then read once.
# The host preset compiles each source alone, and so shows that it includes what it uses; in CI jetson does so.
# Here stand the targets whose sources use the same name for different things of their own.
foreach(target
    kerb_board_player
    kerb_drivers_alsa
    kerb_drivers_socketcan
    kerb_firmware_control
    kerb_firmware_pipeline
    kerb_firmware_events
    kerb_fuzz_targets
    kerb_gpu_hog
    kerb_sim_judge
    kerb_sim_people
    kerb_sim_report
    kerb_tools_eval
    kerb_tools_train)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
endforeach()
