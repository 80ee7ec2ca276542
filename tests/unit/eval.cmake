# How detectors are judged: the library, and the command as a person meets it.
if(TARGET kerb::tools_eval)
  kerb_add_test(NAME unit_tools_eval SOURCES tools/test_eval.cpp
    LINKS kerb::tools_eval LABELS unit)
  kerb_add_test(NAME unit_tools_eval_readers SOURCES tools/test_eval_readers.cpp
    LINKS kerb::tools_eval LABELS unit)
endif()
