set(dir ${CMAKE_CURRENT_LIST_DIR}/firmware/schema)
foreach(name reader words)
  kerb_add_test(NAME unit_schema_${name} SOURCES ${dir}/test_${name}.cpp LINKS kerb::firmware_schema LABELS unit)
endforeach()
