# SPDX-License-Identifier: Apache-2.0
# The machine: whatever the Yocto SDK was made for. The SDK brings a toolchain file of its own, and
# sets everything it needs in the environment: source its environment-setup-* script first.
if(NOT DEFINED ENV{OECORE_NATIVE_SYSROOT})
  message(FATAL_ERROR
    "The Yocto SDK's environment is not set: source <sdk>/environment-setup-<machine> first "
    "(OECORE_NATIVE_SYSROOT is empty)")
endif()
set(_kerb_oe_toolchain "$ENV{OECORE_NATIVE_SYSROOT}/usr/share/cmake/OEToolchainConfig.cmake")
if(NOT EXISTS "${_kerb_oe_toolchain}")
  message(FATAL_ERROR
    "${_kerb_oe_toolchain}: no such file; the SDK must have been built with nativesdk-cmake in it")
endif()
include("${_kerb_oe_toolchain}")
