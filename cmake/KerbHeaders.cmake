# Headers that many sources of kerblab include, and that take the compiler longest: read once for all of its libraries.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON (part alone of ./kerb test) shows that each source includes what it uses.
if(NOT TARGET kerblab)
  return()
endif()
set(libraries)
foreach(topic app bench calibrate detect ego emd eval flow model pictures plot sim spectral track train)
  if(TARGET kerb_lab_${topic})
    list(APPEND libraries kerb_lab_${topic})
  endif()
endforeach()

# Compiled as they are, but with no macro of theirs: one that these headers do not mention does not matter to GCC.
add_library(kerb_lab_headers STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
set_target_properties(kerb_lab_headers PROPERTIES UNITY_BUILD OFF)
target_compile_features(kerb_lab_headers PRIVATE cxx_std_20)
target_link_libraries(kerb_lab_headers PRIVATE kerb::cli11 kerb::json kerb::fmt kerb::warnings kerb::sanitizers)
if(TARGET kerb_fewer_checks)
  target_link_libraries(kerb_lab_headers PRIVATE kerb_fewer_checks)
endif()
target_precompile_headers(kerb_lab_headers PRIVATE
  <algorithm> <array> <chrono> <cmath> <cstdint> <cstdio> <filesystem> <fstream> <functional> <map> <memory> <optional>
  <span> <sstream> <string> <string_view> <utility> <variant> <vector> <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>)
if(KERB_OPENCV)
  target_link_libraries(kerb_lab_headers PRIVATE kerb::opencv)
  target_precompile_headers(kerb_lab_headers PRIVATE <opencv2/imgcodecs.hpp> <opencv2/imgproc.hpp>)
endif()
foreach(target IN LISTS libraries)
  target_precompile_headers(${target} REUSE_FROM kerb_lab_headers)
endforeach()

# Commands read options and write files; what takes time is in the libraries that they call. -O2 would be a quarter of what
# building kerblab costs.
foreach(target kerblab kerb_lab_headers ${libraries})
  target_compile_options(${target} PRIVATE $<$<AND:$<NOT:$<CONFIG:Debug>>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endforeach()
