# kerb::warnings and kerb::sanitizers: linked PRIVATE by every target of ours, so that users of ours see neither.
add_library(kerb_warnings INTERFACE)
add_library(kerb::warnings ALIAS kerb_warnings)
set(cxx_only $<COMPILE_LANGUAGE:CXX>)
target_compile_options(kerb_warnings INTERFACE
  "$<${cxx_only}:-Wall;-Wextra;-Wshadow;-Wconversion;-Wnon-virtual-dtor;-Wold-style-cast>"
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # GCC 12 misjudges std::optional and std::string
  target_compile_options(kerb_warnings INTERFACE
    "$<${cxx_only}:-Wno-maybe-uninitialized;-Wno-restrict;-Wno-psabi>"  # psabi: notes about GCC 7
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-psabi>)
endif()
if(KERB_WARNINGS_AS_ERRORS)
  target_compile_options(kerb_warnings INTERFACE
    $<${cxx_only}:-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror;-Werror=all-warnings>")
endif()

add_library(kerb_sanitizers INTERFACE)
add_library(kerb::sanitizers ALIAS kerb_sanitizers)
if(KERB_SANITIZE)
  target_compile_options(kerb_sanitizers INTERFACE
    "$<${cxx_only}:-fsanitize=${KERB_SANITIZE};-fno-omit-frame-pointer>")
  if(KERB_SANITIZE MATCHES undefined)
    target_compile_options(kerb_sanitizers INTERFACE $<${cxx_only}:-fno-sanitize-recover=undefined>)
  endif()
  target_link_options(kerb_sanitizers INTERFACE -fsanitize=${KERB_SANITIZE})
endif()

# Hardening of what people install, in every build that is optimised and not a sanitizer's: canaries on the stack, checked
# calls of the C library, and tables of addresses that are read-only once the program runs. Comes with kerb::warnings, so
# with every target of ours. tests/unit/firmware/main/check_hardening.py looks at the programs.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_library(kerb_hardening INTERFACE)
add_library(kerb::hardening ALIAS kerb_hardening)
if(NOT KERB_SANITIZE)
  set(hardened $<NOT:$<CONFIG:Debug>>)
  target_compile_options(kerb_hardening INTERFACE
    "$<$<AND:${hardened},${cxx_only}>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>"
    $<$<AND:${hardened},$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=-fstack-protector-strong>)
  target_link_options(kerb_hardening INTERFACE $<${hardened}:LINKER:-z,relro,-z,now,-z,noexecstack>)
endif()
target_link_libraries(kerb_warnings INTERFACE kerb::hardening)

# kerb::exact_arithmetic: the same result to the last bit on every machine (see firmware/exact). No fused
# multiply-add, and Eigen adds in one order whatever vector registers there are.
add_library(kerb_exact_arithmetic INTERFACE)
add_library(kerb::exact_arithmetic ALIAS kerb_exact_arithmetic)
target_compile_options(kerb_exact_arithmetic INTERFACE $<${cxx_only}:-ffp-contract=off>)
target_compile_definitions(kerb_exact_arithmetic INTERFACE EIGEN_DONT_VECTORIZE EIGEN_NO_MALLOC EIGEN_DONT_PARALLELIZE)

# kerb_avx2_sources(target file...): adds sources that are compiled for AVX2, and optimised as the target's other
# operators are; KERB_AVX2 tells those that they are there. Does nothing where the processor is another.
function(kerb_avx2_sources target)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|[Aa][Mm][Dd]64)$")
    return()
  endif()
  target_sources(${target} PRIVATE ${ARGN})
  target_compile_definitions(${target} PRIVATE KERB_AVX2=1)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "-mavx2;$<$<NOT:$<CONFIG:Debug>>:-O3;-fno-math-errno;-fno-trapping-math>")
endfunction()
