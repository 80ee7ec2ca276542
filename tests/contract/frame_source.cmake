# FrameSource: its fake, and everything that gives frames.
function(add_frame_source_contract name)
  cmake_parse_arguments(arg "" "" "LINKS" ${ARGN})
  kerb_add_test(NAME contract_frame_source_${name} THREADED
    SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/frame_source_contract.cpp
            ${CMAKE_CURRENT_SOURCE_DIR}/frame_source_${name}.cpp
    LINKS ${arg_LINKS} Threads::Threads LABELS contract)
endfunction()

add_frame_source_contract(fake LINKS kerb::hal)
add_frame_source_contract(pattern LINKS kerb::drivers_replay)
foreach(name folder video)  # they make their own recordings, and exit 77 where there is no OpenCV
  add_frame_source_contract(${name} LINKS kerb::drivers_replay)
  if(KERB_OPENCV)
    kerb_test_uses(contract_frame_source_${name} LINKS kerb::opencv)
    kerb_test_uses(contract_frame_source_${name} DEFINES KERB_OPENCV=1)
  endif()
endforeach()
if(TARGET kerb_drivers_v4l2)
  add_frame_source_contract(v4l2 LINKS kerb::drivers_v4l2)
endif()
