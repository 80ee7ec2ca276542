// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/types/people_report.hpp"

namespace kerb::fuse {

inline constexpr int kMostCameras = 4;

/// The newest report of each camera; null: none, or the camera cannot see.
using Reports = std::array<const risk::PeopleReport*, kMostCameras>;

}  // namespace kerb::fuse
