# The network that looks at candidates again, against its definition, written down plainly.
kerb_add_test(NAME unit_net_crop LABELS unit
  SOURCES gpu/test_net_crop.cpp gpu/net_oracle.cpp
  LINKS kerb::gpu_net)
kerb_add_test(NAME unit_net_network SOURCES gpu/test_network.cpp LINKS kerb::gpu_net LABELS unit)
kerb_add_test(NAME unit_net_second_look LABELS unit THREADED
  SOURCES gpu/test_second_look.cpp gpu/net_oracle.cpp
  LINKS kerb::gpu_net COUNTS_ALLOCATIONS)
if(KERB_OPENCV)
  kerb_add_test(NAME unit_net_opencv LABELS unit
    SOURCES gpu/test_net_opencv.cpp
    LINKS kerb::gpu_net kerb::opencv)
endif()
