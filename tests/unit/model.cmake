# Models and their files, searches, fusion: what the detectors share.
foreach(name search model model_file)
  kerb_add_test(NAME unit_hog_${name} SOURCES gpu/test_${name}.cpp LINKS kerb::gpu_hog LABELS unit)
endforeach()
