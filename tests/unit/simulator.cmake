# The proving ground: a list for each of its folders.
foreach(part world scenario people render run judge)
  include(${CMAKE_CURRENT_LIST_DIR}/simulator/${part}.cmake OPTIONAL)
endforeach()
