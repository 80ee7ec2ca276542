# The V4L2 driver, against a kernel that the tests play (fake_kernel.hpp).
add_library(kerb_test_v4l2_kernel STATIC drivers/v4l2/fake_kernel.cpp)
target_compile_features(kerb_test_v4l2_kernel PUBLIC cxx_std_20)
target_link_libraries(kerb_test_v4l2_kernel
  PUBLIC kerb::drivers_v4l2
  PRIVATE kerb::warnings kerb::sanitizers)

foreach(part open controls exposure_controls stream signal)
  kerb_add_test(NAME unit_v4l2_${part}
    SOURCES drivers/v4l2/test_${part}.cpp
    LINKS kerb_test_v4l2_kernel
    LABELS unit)
endforeach()
kerb_add_test(NAME unit_v4l2_allocations
  SOURCES drivers/v4l2/test_allocations.cpp
  LINKS kerb_test_v4l2_kernel
  LABELS unit COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_v4l2_mjpeg
  SOURCES drivers/v4l2/test_mjpeg.cpp
  LINKS kerb_test_v4l2_kernel PkgConfig::TURBOJPEG
  LABELS unit)
kerb_add_test(NAME unit_v4l2_threads
  SOURCES drivers/v4l2/test_threads.cpp
  LINKS kerb_test_v4l2_kernel Threads::Threads
  LABELS unit
  THREADED)
