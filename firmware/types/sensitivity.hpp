// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// How early Kerbwatch warns.
enum class Sensitivity : std::uint8_t { late, normal, early };

}  // namespace kerb
