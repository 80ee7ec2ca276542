# Installs the build into a folder, moves that, and asks the program there for its models.
# cmake -DBUILD=DIR -DSOURCE=DIR -DWORK=DIR -P check_install.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_QUIET)
file(RENAME ${WORK}/first ${WORK}/moved)
file(GLOB models RELATIVE ${SOURCE}/models ${SOURCE}/models/*)
foreach(model IN LISTS models)
  if(NOT EXISTS ${WORK}/moved/share/kerbwatch/models/${model})
    message(FATAL_ERROR "models/${model} is not installed")
  endif()
endforeach()
file(WRITE ${WORK}/desk.toml "[[camera]]\nsource = \"pattern\"\n")
unset(ENV{KERBWATCH_MODELS})
execute_process(COMMAND ${WORK}/moved/bin/kerbwatch check --config ${WORK}/desk.toml
  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
string(FIND "${said}" "${WORK}/moved/share/kerbwatch/models" found)
if(found EQUAL -1)
  message(FATAL_ERROR "it looks for its models elsewhere: ${said}")
endif()
file(REMOVE_RECURSE ${WORK})
