# The image operators beyond grey, one program each. OpenCV, where it is, is a second judge.
foreach(name gradients integral remap resize scan to_luv to_rgb)
  kerb_add_test(NAME unit_gpu_${name} LABELS unit
    SOURCES gpu/test_${name}.cpp
    LINKS kerb::gpu_image)
  if(KERB_OPENCV)
    kerb_test_uses(unit_gpu_${name} LINKS kerb::opencv)
    kerb_test_uses(unit_gpu_${name} DEFINES KERB_OPENCV=1)
  endif()
endforeach()
