# The image operators beyond grey on a GPU, one program each.
foreach(name colours gradients remap resize sums)
  kerb_add_test(NAME gpu_${name} LABELS gpu
    SOURCES test_${name}.cpp
    LINKS kerb::gpu_image)
endforeach()
