# The image operators beyond grey, one program each. OpenCV, where it is, is a second judge.
foreach(name gradients integral remap resize scan to_luv to_rgb)
  kerb_add_test(NAME unit_gpu_${name} LABELS unit
    SOURCES gpu/test_${name}.cpp
    LINKS kerb::gpu_image)
  if(KERB_OPENCV)
    target_link_libraries(unit_gpu_${name} PRIVATE kerb::opencv)
    target_compile_definitions(unit_gpu_${name} PRIVATE KERB_OPENCV=1)
  endif()
endforeach()
