# Exposure and gain for people: the meter, the controller in a closed loop, the noise model.
foreach(name road_meter exposure_controller noise_model)
  kerb_add_test(NAME unit_exposure_${name} SOURCES firmware/exposure/test_${name}.cpp
    LINKS kerb::firmware_exposure kerb::firmware_lens LABELS unit COUNTS_ALLOCATIONS)
endforeach()
