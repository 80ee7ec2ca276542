foreach(name base clock frames rules)
  kerb_add_test(NAME unit_hal_${name} SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/hal/test_${name}.cpp
    LINKS kerb::hal LABELS unit)
endforeach()
